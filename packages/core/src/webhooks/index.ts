export { createWebhookDelivery, type WebhookDeliveries } from './delivery.ts';
export {
  createExtensionHandlers,
  type DeclaredHandler,
  type ExtensionHandlers,
  handlerAt,
} from './handlers.ts';
export type { RenderDocument } from './messages.ts';
export { retryAt } from './retries.ts';
export { MAX_WEBHOOK_COLLECTIONS, MAX_WEBHOOK_DESCRIPTION, type WebhookChange } from './settings.ts';
export { createWebhooks, type Webhooks } from './webhooks.ts';
