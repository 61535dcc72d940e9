import { blobKey, parseBlobKey } from '../blobs/keys.ts';
import { AppError } from '../errors.ts';
import type { BlobContent, Blobs } from '../ports/blobs.ts';

const AREA = 'backups';
const PAGE = 1000;
/** Names sort by time: `20261126-133000-123`. */
const NAME = /^\d{8}-\d{6}-\d{3}$/;

/** An archive at `BACKUP_URL`. */
export interface StoredBackup {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** In milliseconds. */
  readonly created: number;
}

/** Returns the name of a backup taken at this time, in milliseconds. */
export const backupName = (now: number): string =>
  new Date(now).toISOString().replaceAll(/[-:Z]/g, '').replaceAll(/[T.]/g, '-');

/** Returns the time in a name, in milliseconds. The clock of the store may differ. */
const timeOf = (name: string): number =>
  Date.parse(name.replace(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-(\d{3})$/, '$1-$2-$3T$4:$5:$6.$7Z'));

function keyOf(name: string): string {
  if (!NAME.test(name)) throw new AppError('backup.not_found');
  return blobKey(AREA, name);
}

/** Archives in a blob store, apart from the blobs of the server. */
export function createStoredBackups(store: Blobs) {
  async function names(): Promise<string[]> {
    const found: string[] = [];
    for (let cursor: string | null = null, more = true; more; more = cursor !== null) {
      const page = await store.list({ olderThan: Number.MAX_SAFE_INTEGER, cursor, limit: PAGE });
      for (const key of page.keys) {
        const parsed = parseBlobKey(key);
        if (parsed?.area === AREA && NAME.test(parsed.owner)) found.push(parsed.owner);
      }
      cursor = page.cursor;
    }
    return found.sort().reverse();
  }

  return {
    /** Lists the archives, newest first. @throws `blobs.unavailable` */
    async list(): Promise<StoredBackup[]> {
      const found: StoredBackup[] = [];
      for (const name of await names()) {
        const info = await store.stat(keyOf(name));
        if (info !== null) found.push({ name, size: info.size, created: timeOf(name) });
      }
      return found;
    },

    /** @throws `backup.not_found`, `blobs.unavailable` */
    async open(name: string): Promise<BlobContent> {
      const content = await store.get(keyOf(name));
      if (content === null) throw new AppError('backup.not_found');
      return content;
    },

    /** Stores an archive, and removes the oldest ones beyond `kept`. @throws `blobs.unavailable`, errors of `bytes` */
    async put(name: string, bytes: AsyncIterable<Uint8Array>, kept: number): Promise<void> {
      await store.put(keyOf(name), bytes);
      for (const old of (await names()).slice(kept)) await store.remove(keyOf(old));
    },

    /** @throws `backup.not_found`, `blobs.unavailable` */
    async remove(name: string): Promise<void> {
      if (!(await store.remove(keyOf(name)))) throw new AppError('backup.not_found');
    },
  };
}
