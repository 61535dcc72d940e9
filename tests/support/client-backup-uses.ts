import type { AdminClient } from '@baobab/client/admin';

/** Client calls for backups, by operation. */
export const BACKUP_USES: Readonly<Record<string, readonly ((client: AdminClient) => unknown)[]>> = {
  readBackups: [({ admin }) => admin.backups.state()],
  storeBackup: [({ admin }) => admin.backups.begin()],
  downloadBackup: [({ admin }) => admin.backups.download({ name: 'x', currentPassword: 'y' })],
  removeBackup: [({ admin }) => admin.backups.remove('x')],
  restoreBackup: [({ admin }) => admin.backups.restore(new Blob(['x']))],
};
