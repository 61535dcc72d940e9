import { isUuid } from '../collections/collections.ts';
import type { BlobGroup, Blobs } from '../ports/blobs.ts';
import { type BlobArea, blobGroup, parseBlobKey } from './keys.ts';

const HOUR = 3_600_000;

/**
 * How old a blob is before it is missed by nobody. A row follows its blob within minutes; the rest is for clocks that
 * differ. Milliseconds.
 */
export const ORPHAN_AGE = 24 * HOUR;
/** No put is under way for so long: an upload is given up before. Milliseconds. */
export const UNFINISHED_AGE = 48 * HOUR;

const PAGE = 1000;

/** Which of these owners there are. */
type Look = (owners: readonly string[]) => Promise<readonly string[]>;
/** How to look for owners, by the kind of thing that they are; what is under other names than ours is left alone. */
export type ExistingOwners = Readonly<Partial<Record<BlobArea, Look>>>;

/** When a UUIDv7 (RFC 9562) was made, milliseconds. */
const timeOf = (uuid: string) => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);

/** The groups on a page of keys of which nobody is the owner any more. */
async function orphansAmong(keys: readonly string[], living: ExistingOwners, since: number): Promise<BlobGroup[]> {
  const isOurs = (owner: string) => isUuid(owner) && timeOf(owner) >= since;
  const orphans: BlobGroup[] = [];
  for (const [area, look] of Object.entries(living) as [BlobArea, Look][]) {
    const owners = keys
      .map(parseBlobKey)
      .flatMap((key) => (key?.area === area && isOurs(key.owner) ? [key.owner] : []));
    const found = Array.from(new Set(owners));
    const alive = new Set(found.length === 0 ? [] : await look(found));
    orphans.push(...found.filter((owner) => !alive.has(owner)).map((owner) => blobGroup(area, owner)));
  }
  return orphans;
}

/**
 * Removes the blobs that no row knows, and what puts left that ended with their process. It walks all that is stored, a
 * page at a time, and may run anywhere at any time: what is young is left alone. Resolves to how many it were.
 *
 * @param since when the database began, milliseconds: what is older than that cannot be known to it, and is left alone.
 *   Otherwise a service that is started on the wrong database would remove all there is
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
