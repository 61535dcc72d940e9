import type { Stores } from '../ports/storage/storage.ts';
import { MANY_ROWS } from '../removals.ts';

/** `begun`: the user is visible to nobody, and what belongs to them is removed in parts. */
export type RemovalOutcome = 'removed' | 'begun' | 'missing';

/** In a transaction: removes a user, or begins to if too much belongs to them for one transaction. */
export async function removeOrBegin(stores: Stores, userId: string): Promise<RemovalOutcome> {
  const { users, announcer } = stores;
  const isLarge = (await users.weigh(userId, MANY_ROWS)) >= MANY_ROWS;
  const isDone = await (isLarge ? users.beginRemoval(userId) : users.remove(userId));
  if (!isDone) return 'missing';
  await announcer.announce({ topic: 'user', key: userId });
  return isLarge ? 'begun' : 'removed';
}
