import { createFilesystemBlobs } from '@baobab/adapters/filesystem';
import { createTestBackend } from '@baobab/server/testing';
import type { Viewer } from './checks.ts';

const HOUR = 3_600_000;
/** Longer than any waiting period of the housekeeping. */
const LATER = 50 * HOUR;
/** Interval after which the scan of blobs is due again; it runs every six hours. */
const NEXT = 7 * HOUR;
const PAGE = 1000;

/** Blobs and rows without a counterpart. */
export interface Unmatched {
  /** Number of blobs without a row. */
  readonly orphans: number;
  /** Number of rows without a blob. */
  readonly rowsWithoutBytes: number;
}

async function filesOf({ client, address, writer }: Viewer): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let next = ''; ; ) {
    const url = `${address}/file/details?recordsPerPage=${PAGE}${next}`;
    const { body } = await client.expect('GET', url, { token: writer });
    for (const { id } of body.data) ids.add(id);
    if (!body.more) return ids;
    next = `&cursor=${body.next}`;
  }
}

async function blobsIn(folder: string): Promise<Set<string>> {
  const blobs = createFilesystemBlobs({ path: folder });
  const ids = new Set<string>();
  for (let cursor: string | null = null, more = true; more; ) {
    const page = await blobs.list({ olderThan: Number.MAX_SAFE_INTEGER, cursor, limit: PAGE });
    for (const key of page.keys) ids.add(key.split('/')[1] ?? '');
    cursor = page.cursor;
    more = cursor !== null;
  }
  await blobs.close();
  return ids;
}

/** Compares the blobs in a folder with the files of the only user who has any. */
export async function unmatched(viewer: Viewer, folder: string): Promise<Unmatched> {
  const [rows, blobs] = [await filesOf(viewer), await blobsIn(folder)];
  return {
    orphans: Array.from(blobs).filter((id) => !rows.has(id)).length,
    rowsWithoutBytes: Array.from(rows).filter((id) => !blobs.has(id)).length,
  };
}

/**
 * Runs the housekeeping as a node would two days later, without concurrent writes. @param turn number of earlier runs
 */
export async function sweepLater(databaseUrl: string, folder: string, turn: number): Promise<void> {
  const now = Date.now() + LATER + turn * NEXT;
  const backend = await createTestBackend({ databaseUrl, blobUrl: `file:${folder}`, clock: { now: () => now } });
  await backend.sweep();
  await backend.close();
}
