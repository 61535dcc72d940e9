import type { Storage } from '../ports/storage/storage.ts';
import { userName } from './names.ts';

/**
 * Makes the skeletons of up to `limit` names that a program gave which knew none: before an upgrade, or during one.
 * Resolves to how many; fewer than `limit` when nothing is left.
 */
export async function fillSkeletons({ users }: Pick<Storage, 'users'>, limit: number): Promise<number> {
  const found = await users.withoutSkeleton(limit);
  await users.setSkeletons(found.map(({ id, name }) => ({ id, ...userName(name) })));
  return found.length;
}

const BATCH = 500;

/** The same for all of them. */
export async function fillAllSkeletons(stores: Pick<Storage, 'users'>): Promise<void> {
  while ((await fillSkeletons(stores, BATCH)) === BATCH);
}
