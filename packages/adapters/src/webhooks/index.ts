export { createWebhookSender, type WebhookSenderOptions } from './sender.ts';
export { signedHeaders } from './signature.ts';
