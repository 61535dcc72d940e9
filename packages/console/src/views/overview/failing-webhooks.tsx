import { Webhook as WebhookIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { hrefOf } from '../../address.ts';
import { ICON_SIZE } from '../../parts/button.tsx';
import { texts } from '../../texts.ts';
import { handlerOf } from '../webhooks/handler.ts';
import { useWebhookStates } from '../webhooks/use-webhook-states.ts';

const TEXTS = texts.overview;

/** Webhooks whose deliveries fail; nothing if there are none. */
export function FailingWebhooks(): ReactNode {
  const { data } = useWebhookStates();
  const failing = data?.filter(({ state }) => state === 'failing') ?? [];
  if (failing.length === 0) return null;
  return (
    <section className="card warning" aria-label={TEXTS.failingWebhooks(failing.length)}>
      <h2 className="row">
        <WebhookIcon className="tone-warning" size={ICON_SIZE} aria-hidden={true} />
        {TEXTS.failingWebhooks(failing.length)}
      </h2>
      <ul className="bullets">
        {failing.map(({ webhook: { id, url } }) => (
          <li key={id}>
            <a href={hrefOf(['webhooks', id])}>{handlerOf(url) ?? url}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
