import { userPrincipal } from '../access.ts';
import type { VisibilityReason } from '../ports/storage/changes.ts';
import type { Stores } from '../ports/storage/storage.ts';

interface UserMark {
  readonly reason: VisibilityReason;
  readonly now: number;
}

/** Records that the surrounding transaction changes the permissions of these users. */
export function markUsers(
  { changes }: Pick<Stores, 'changes'>,
  userIds: readonly string[],
  { reason, now }: UserMark,
): Promise<void> {
  const marks = userIds.map((id) => ({ audience: userPrincipal(id), collection: null, reason }));
  return changes.markVisibility(marks, now);
}

export const markUser = (stores: Pick<Stores, 'changes'>, userId: string, mark: UserMark): Promise<void> =>
  markUsers(stores, [userId], mark);

/**
 * Marks a new user, who may send a cursor from before they signed up, such as an anonymous one. They have to list
 * first: the feed would name documents that were removed in between and that every user could read.
 */
export const markNewUser = (stores: Pick<Stores, 'changes'>, userId: string, now: number): Promise<void> =>
  markUser(stores, userId, { reason: 'role', now });
