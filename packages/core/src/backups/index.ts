export { type BackupHealth, type BackupPlaces, type BackupState, type Backups, createBackups } from './backups.ts';
export type { StoredBackup } from './stored.ts';
