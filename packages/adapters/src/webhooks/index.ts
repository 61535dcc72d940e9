export { specialUse } from './addresses.ts';
export type { Resolve, ResolvedAddress } from './resolve.ts';
export { createWebhookSender, type WebhookSenderOptions } from './sender.ts';
export { signedHeaders } from './signature.ts';
