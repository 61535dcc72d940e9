import { userPrincipal } from '../access.ts';
import type { VisibilityReason } from '../ports/storage/changes.ts';
import type { Stores } from '../ports/storage/storage.ts';

/** Records that the surrounding transaction changes the permissions of one user. */
export function markUser(
  { changes }: Pick<Stores, 'changes'>,
  userId: string,
  { reason, now }: { readonly reason: VisibilityReason; readonly now: number },
): Promise<void> {
  return changes.markVisibility({ audience: userPrincipal(userId), collection: null, reason }, now);
}

/**
 * Marks a new user, who may send a cursor from before they signed up, such as an anonymous one. They have to list
 * first: the feed would name documents that were removed in between and that every user could read.
 */
export const markNewUser = (stores: Pick<Stores, 'changes'>, userId: string, now: number): Promise<void> =>
  markUser(stores, userId, { reason: 'role', now });
