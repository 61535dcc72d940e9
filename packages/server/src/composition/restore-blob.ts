import { AppError, type Logger } from '@baobab/core';
import { restoreArchive } from '../backups/restore.ts';
import type { Config } from '../config.ts';
import { openArchive, openBlobs } from './archives.ts';

/** Restores the archive stored as this blob, and removes the blob. Resolves to the number of rows. */
export async function restoreBlob(config: Config, logger: Logger, key: string): Promise<number> {
  const blobs = openBlobs(config.blobs);
  async function open() {
    const content = await blobs.get(key);
    if (content === null) throw new AppError('blobs.unavailable', { detail: `there is no blob ${key}` });
    return content.bytes;
  }
  try {
    const archive = openArchive(config.database, logger);
    return await restoreArchive({ archive, blobs, open, progress: () => undefined });
  } finally {
    await blobs.remove(key).catch((err: unknown) => logger.warn({ err, key }, 'uploaded archive not removed'));
    await blobs.close();
  }
}
