import type { Webhook } from '@baobab/client/admin';
import { useService } from '../../parts/service.ts';
import { type Loaded, useLoad } from '../../use-load.ts';

/** A webhook with the outcome of its newest delivery. */
export interface WebhookWithState {
  readonly webhook: Webhook;
  /** `failing`: the newest delivery has failed, or is being retried after a failure. */
  readonly state: 'on' | 'off' | 'failing';
}

/** Loads all webhooks and whether their deliveries arrive. */
export function useWebhookStates(): Loaded<readonly WebhookWithState[]> {
  const { webhooks } = useService().client.admin;

  async function stateOf(webhook: Webhook, signal: AbortSignal): Promise<WebhookWithState> {
    const { rows } = await webhooks.deliveries(webhook.id).page(null, { signal });
    const [newest] = rows;
    const hasFailed = newest !== undefined && newest.state !== 'delivered' && newest.attempts > 0;
    if (hasFailed) return { webhook, state: 'failing' };
    return { webhook, state: webhook.enabled ? 'on' : 'off' };
  }

  return useLoad(['webhooks', 'states'], async (signal) => {
    const all = await webhooks.list({ signal });
    return Promise.all(all.map((webhook) => stateOf(webhook, signal)));
  });
}
