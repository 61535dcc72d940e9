import type { BackupArchives, Blobs, Logger } from '@baobab/core';
import type { DatabaseConfig } from '../config.ts';

/** Creates backups of a database. Their code is loaded on demand, because most requests need none of it. */
export function createBackupArchives(database: DatabaseConfig, blobs: Blobs, logger: Logger): BackupArchives {
  async function load(): Promise<BackupArchives> {
    const [{ openArchive }, archives] = await Promise.all([import('./archives.ts'), import('../backups/archives.ts')]);
    return archives.createBackupArchives(openArchive(database, logger), blobs);
  }
  let loaded: Promise<BackupArchives> | null = null;
  const archives = () => {
    loaded ??= load();
    return loaded;
  };
  return {
    async *create() {
      yield* (await archives()).create();
    },
    verify: async (open) => (await archives()).verify(open),
    async *read(open) {
      yield* (await archives()).read(open);
    },
    isEmpty: async () => (await archives()).isEmpty(),
    stop: () => void loaded?.then((made) => made.stop()),
  };
}
