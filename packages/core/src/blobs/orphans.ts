import type { BlobGroup, Blobs } from '../ports/blobs.ts';
import { isUuid } from '../uuid.ts';
import { type BlobArea, blobGroup, parseBlobKey } from './keys.ts';

const HOUR = 3_600_000;

/**
 * The age at which a blob without a row counts as an orphan. A row is written within minutes after its blob; the rest
 * allows for clocks that differ. Milliseconds.
 */
const ORPHAN_AGE = 24 * HOUR;
/** No `put` takes this long, because uploads time out before. Milliseconds. */
const UNFINISHED_AGE = 48 * HOUR;

const PAGE = 1000;

/** Resolves to those of these owners that exist. */
type Look = (owners: readonly string[]) => Promise<readonly string[]>;
/** A look-up of owners for each area; blobs in other areas are never removed. */
export type ExistingOwners = Readonly<Partial<Record<BlobArea, Look>>>;

/** The time at which a UUIDv7 (RFC 9562) was made, milliseconds. */
const timeOf = (uuid: string) => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);

/** The groups on a page of keys whose owners no longer exist. */
async function orphansAmong(keys: readonly string[], living: ExistingOwners, since: number): Promise<BlobGroup[]> {
  const mayBelong = (owner: string) => isUuid(owner) && timeOf(owner) >= since;
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
 * Removes the blobs that no row refers to, and the remains of interrupted `put` calls. It walks over all blobs, a page at
 * a time, and may run on any node at any time: recent blobs stay. Resolves to the number removed.
 *
 * @param since the creation time of the database, milliseconds: older blobs cannot belong to it and are never removed.
 *   Otherwise a service that is started on the wrong database would remove all blobs
 *
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
