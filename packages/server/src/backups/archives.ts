import { type Archive, type BackupArchives, type Blobs, backupEntries } from '@baobab/core';
import { API_VERSION } from '@baobab/http/format';
import { readTar, tarOf, verifyTar } from './tar.ts';
import { createThrottle, throttledBlobs, throttledSource, underLoad } from './throttle.ts';

/** Backups of a database that is being served. They pause while it is busy. */
export function createBackupArchives(archive: Archive, blobs: Pick<Blobs, 'get'>): BackupArchives {
  const stopping = new AbortController();
  const { signal } = stopping;
  return {
    async *create() {
      const watch = await archive.watchWrites();
      try {
        const throttle = createThrottle(underLoad(watch), signal);
        const entries = backupEntries({
          open: async () => throttledSource(await archive.source(), throttle),
          blobs: throttledBlobs(blobs, throttle),
          program: API_VERSION,
          created: new Date().toISOString(),
          progress: () => undefined,
        });
        yield* tarOf(entries, { signal, added: () => throttle.pause() });
      } finally {
        await watch.close();
      }
    },
    verify: verifyTar,
    read: readTar,
    isEmpty: () => archive.isEmpty(),
    stop: () => stopping.abort(new Error('The server is stopping')),
  };
}
