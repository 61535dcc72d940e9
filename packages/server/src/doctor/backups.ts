import type { BackupHealth } from '@baobab/core';
import type { Backend } from '../composition/compose.ts';
import { OPERATOR } from '../composition/operator.ts';
import { checkBucket } from './blobs.ts';
import { type CheckContext, causeText, type Finding, fault, ok, skipped } from './check.ts';

const MS_PER_HOUR = 3_600_000;
const WHAT_TO_DO = 'Search the log for "backup failed" and "job not run", and correct BACKUP_URL or its keys';

/** Checks the age of the newest archive. The server checks once an hour if a backup is due. */
export async function checkBackupAge(read: () => Promise<BackupHealth | null>): Promise<Finding> {
  const health = await read().catch((error: unknown) => causeText(error));
  if (typeof health === 'string') return fault(`The backups cannot be listed: ${health}`, WHAT_TO_DO);
  if (health === null) return skipped('BACKUP_URL is not set, so the server writes no backups');
  const { age, interval, error } = health;
  if (error !== null) return fault(`The last backup failed: ${error}`, WHAT_TO_DO);
  if (interval === 0) return skipped('backup.interval.hours is 0, so the server writes no backups');
  if (age === null) return skipped('There is no backup yet: the first one begins at the next full hour');
  const text = `The newest backup is ${Math.max(0, Math.floor(age / MS_PER_HOUR))} hours old`;
  return age > 2 * interval + MS_PER_HOUR ? fault(text, WHAT_TO_DO) : ok(text);
}

/** Tries out the bucket of backups, and checks the age of the newest one. The check "disk" tries out a folder. */
export async function checkBackups({ config: { backups } }: CheckContext, backend: Backend | null): Promise<Finding[]> {
  const tried = backups?.kind === 's3' ? [await checkBucket(backups, 'BACKUP_URL')] : [];
  if (tried.some(({ state }) => state === 'fault')) return tried;
  if (backups !== null && backend === null) {
    return [...tried, skipped('The interval of backups is in the database, which has no schema yet or cannot be read')];
  }
  return [...tried, await checkBackupAge(async () => backend?.backups.health(OPERATOR) ?? null)];
}
