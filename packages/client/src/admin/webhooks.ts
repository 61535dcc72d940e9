import type { NewWebhook, Webhook, WebhookChange, WebhookDelivery, WebhookWithSecret } from '../admin-wire.ts';
import type { CallOptions, PresenceOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { type Rows, rowsOf } from '../transport/pages.ts';
import { path } from '../transport/path.ts';

export interface DeliveryOptions extends CallOptions {
  /** Only deliveries in this state. */
  readonly state?: WebhookDelivery['state'] | undefined;
}

export interface Webhooks {
  /**
   * Requires a login within the last ten minutes, or the password. The response is the only place that contains the
   * secret. If it is lost, rotate the secret.
   */
  create(webhook: NewWebhook, options?: PresenceOptions): Promise<WebhookWithSecret>;
  list(options?: CallOptions): Promise<Webhook[]>;
  get(id: string, options?: CallOptions): Promise<Webhook>;
  /**
   * Absent settings stay unchanged. Requires a login within the last ten minutes, or the password, unless it only
   * disables or describes the webhook.
   */
  update(id: string, change: WebhookChange, options?: PresenceOptions): Promise<Webhook>;
  remove(id: string, options?: CallOptions): Promise<void>;
  /**
   * Creates a new secret. For 24 hours, messages are also signed with the previous one. Requires a login within the last
   * ten minutes, or the password.
   */
  rotateSecret(id: string, options?: PresenceOptions): Promise<WebhookWithSecret>;
  /** Sends a test message immediately. */
  test(id: string, options?: CallOptions): Promise<WebhookDelivery>;
  /** Lists deliveries, newest first. */
  deliveries(id: string, options?: DeliveryOptions): Rows<WebhookDelivery>;
  /** Sends a failed delivery again. */
  replay(id: string, delivery: string, options?: CallOptions): Promise<WebhookDelivery>;
}

const ALL = '/admin/webhook';

export function createWebhooks(api: Api): Webhooks {
  const one = (id: string) => ALL + path`/${id}`;
  const post = <T>(to: string, options: CallOptions | undefined, json?: unknown) =>
    api.send<T>({ method: 'POST', path: to, json, repeat: 'never', options });
  return {
    create: (webhook, { currentPassword, ...options } = {}) =>
      post(ALL, options, { ...webhook, current_password: currentPassword }),
    list: (options) => api.get(ALL, {}, options),
    get: (id, options) => api.get(one(id), {}, options),
    update: (id, change, { currentPassword, ...options } = {}) =>
      api.put(one(id), { ...change, current_password: currentPassword }, options),
    remove: (id, options) => api.remove(one(id), ['webhook.not_found'], options),
    rotateSecret: (id, { currentPassword, ...options } = {}) =>
      post(`${one(id)}/secret`, options, { current_password: currentPassword }),
    test: (id, options) => post(`${one(id)}/test`, options),
    deliveries: (id, { state, ...options } = {}) =>
      rowsOf(api, {
        path: `${one(id)}/deliveries`,
        query: { state },
        rows: (page: WebhookDelivery[]) => page,
        options,
      }),
    replay: (id, delivery, options) => post(one(id) + path`/deliveries/${delivery}/replay`, options),
  };
}
