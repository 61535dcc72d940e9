import { BACKUP_USES } from './client-backup-uses.ts';
import { INDEX_USES } from './client-index-uses.ts';
import { PUSH_USES } from './client-push-uses.ts';
import { USER_USES } from './client-user-uses.ts';
import { WEBHOOK_USES } from './client-webhook-uses.ts';

/** Client calls of administrators, by operation. */
export const ADMIN_USES = { ...BACKUP_USES, ...INDEX_USES, ...PUSH_USES, ...USER_USES, ...WEBHOOK_USES };
