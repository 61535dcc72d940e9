export { createMemoryAudit, type MemoryAudit } from './audit.ts';
export { createMemoryBlobs } from './blobs.ts';
export { createMemoryMailer, type Outbox, type SentMail } from './mailer.ts';
export { createMemoryNetwork, type IssuedToken, type MemoryNetwork } from './oauth.ts';
export { createMemoryPush, type MemoryPush, type SentPush } from './push.ts';
export { createMemoryStorage } from './storage.ts';
