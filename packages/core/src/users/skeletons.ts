import { userName } from '../names/names.ts';
import type { Storage } from '../ports/storage/storage.ts';

/**
 * Computes skeletons for up to `limit` names that were stored without one, by a version of the program from before
 * skeletons (before an upgrade, or during one). Resolves to the number of names; fewer than `limit` when none is left.
 */
export async function fillSkeletons({ users }: Pick<Storage, 'users'>, limit: number): Promise<number> {
  const found = await users.withoutSkeleton(limit);
  await users.setSkeletons(found.map(({ id, name }) => ({ id, ...userName(name) })));
  return found.length;
}

const BATCH = 500;

/** As `fillSkeletons`, for all such names. */
export async function fillAllSkeletons(stores: Pick<Storage, 'users'>): Promise<void> {
  while ((await fillSkeletons(stores, BATCH)) === BATCH);
}
