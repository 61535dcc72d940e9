import type { BlobGroup, Blobs } from '../ports/blobs.ts';
import { isUuid, timeOfUuid } from '../wire.ts';
import { type BlobArea, blobGroup, parseBlobKey } from './keys.ts';

const HOUR = 3_600_000;

/**
 * Age at which a blob without a row counts as an orphan, in milliseconds. A row is written within minutes after its
 * blob; the rest allows for clock skew.
 */
const ORPHAN_AGE = 24 * HOUR;
/** Age at which a `put` call is certainly dead, because uploads time out before, in milliseconds. */
const UNFINISHED_AGE = 48 * HOUR;

const PAGE = 1000;

/** Resolves to the existing ones of these owners. */
type Look = (owners: readonly string[]) => Promise<readonly string[]>;
/** Look-ups of owners by area. Blobs in other areas are never removed. */
export type ExistingOwners = Readonly<Partial<Record<BlobArea, Look>>>;

/** Returns the groups on a page of keys whose owners no longer exist. */
async function orphansAmong(keys: readonly string[], living: ExistingOwners, since: number): Promise<BlobGroup[]> {
  const mayBelong = (owner: string) => isUuid(owner) && timeOfUuid(owner) >= since;
  const orphans: BlobGroup[] = [];
  for (const [area, look] of Object.entries(living) as [BlobArea, Look][]) {
    const owners = keys
      .map(parseBlobKey)
      .flatMap((key) => (key?.area === area && mayBelong(key.owner) ? [key.owner] : []));
    const found = Array.from(new Set(owners));
    const alive = new Set(found.length === 0 ? [] : await look(found));
    orphans.push(...found.filter((owner) => !alive.has(owner)).map((owner) => blobGroup(area, owner)));
  }
  return orphans;
}

/**
 * Removes blobs without rows, and the remains of interrupted `put` calls. Walks over all blobs, a page at a time. May
 * run on any node at any time, because it keeps recent blobs. Resolves to the number removed.
 *
 * @param since creation time of the database, in milliseconds. Older blobs cannot belong to it and are never removed;
 * otherwise a server started on the wrong database would remove all blobs
 * @throws `blobs.unavailable`, `storage.unavailable`
 */
export async function removeOrphans(
  blobs: Blobs,
  living: ExistingOwners,
  { now, since }: { readonly now: number; readonly since: number },
): Promise<number> {
  let removed = await blobs.removeUnfinished(now - UNFINISHED_AGE);
  for (let cursor: string | null = null, more = true; more; ) {
    const page = await blobs.list({ olderThan: now - ORPHAN_AGE, cursor, limit: PAGE });
    for (const group of await orphansAmong(page.keys, living, since)) removed += await blobs.removeGroup(group);
    cursor = page.cursor;
    more = cursor !== null;
  }
  return removed;
}
