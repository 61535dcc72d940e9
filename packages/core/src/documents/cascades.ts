import type { PoliciesReader } from '../collections/policies.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { PlacedDocument } from '../ports/storage/documents.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import { FOLLOWERS_READ } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { childrenOf, MANY_CHILDREN, removeChildren } from './inheritance.ts';
import { removeLeftFiles } from './left-files.ts';

/** Number of removed parents considered at a time. */
const PARENTS = 20;
/** Number of files removed before the time is checked again. */
const FILES = 200;
/** Time for which a caller waits until many children are removed, in milliseconds. */
const PATIENCE_MS = 5_000;

export interface CascadesDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly policies: PoliciesReader;
  readonly settings: SettingsReader;
}

/**
 * Removes the children of removed documents, in parts that hold up no other request. Until then nobody inherits
 * permissions on them.
 *
 * @param limit number of children after which it stops
 * @returns number of removed children; fewer than `limit` if none are left
 */
export async function removeOrphanedChildren(
  { storage, clock, policies, settings }: Omit<CascadesDeps, 'blobs'>,
  limit: number,
): Promise<number> {
  const all = await policies.current();
  const followersRead = (await settings.current())[FOLLOWERS_READ];

  /** Removes up to MANY_CHILDREN; resolves to their number. */
  const removePart = (parent: PlacedDocument) =>
    storage.transaction(async (stores: Stores) => {
      const deps = { stores, policies: all, followersRead, clock, isLate: true } as const;
      let left = MANY_CHILDREN;
      for (const child of childrenOf(all, parent.collection)) left = await removeChildren(deps, child, parent, left);
      if (left > 0) await stores.documents.removeOrphans(parent.id);
      return MANY_CHILDREN - left;
    });

  let removed = 0;
  for (let parents = await storage.documents.orphans(PARENTS); parents.length > 0 && removed < limit; ) {
    for (const parent of parents) if (removed < limit) removed += await removePart(parent);
    parents = await storage.documents.orphans(PARENTS);
  }
  return removed;
}

export type Cascades = ReturnType<typeof createCascades>;

/** Removals of what goes with removed documents. */
export function createCascades(deps: CascadesDeps) {
  const { storage, clock } = deps;
  return {
    /**
     * Removes what is left of children and files now, for a while. Housekeeping removes the rest. Never rejects: nobody
     * inherits permissions on them any more, and housekeeping reports failures.
     */
    async finish(): Promise<void> {
      const end = clock.now() + PATIENCE_MS;
      try {
        while (clock.now() < end && (await storage.documents.orphans(1)).length > 0) {
          if ((await removeOrphanedChildren(deps, 1)) === 0) break;
        }
        while (clock.now() < end && (await removeLeftFiles(deps, FILES)) >= FILES);
      } catch {
        // See above.
      }
    },
  };
}
