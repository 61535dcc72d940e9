import type { Stores } from '../ports/storage/storage.ts';
import { MANY_ROWS } from '../removals.ts';

/** `begun`: the user is no longer visible, and their data is removed in parts. */
export type RemovalOutcome = 'removed' | 'begun' | 'missing';

/** Removes a user, or begins to if there is too much data for one transaction. To be called in a transaction. */
export async function removeOrBegin(stores: Stores, userId: string): Promise<RemovalOutcome> {
  const { users, announcer } = stores;
  const isLarge = (await users.weigh(userId, MANY_ROWS)) >= MANY_ROWS;
  const isDone = await (isLarge ? users.beginRemoval(userId) : users.remove(userId));
  if (!isDone) return 'missing';
  await announcer.announce({ topic: 'user', key: userId });
  return isLarge ? 'begun' : 'removed';
}
