import { type Actor, blockableViewer } from '../actor.ts';
import { markUser } from '../changes/marks.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import { userKey } from '../names/names.ts';
import type { GroupCounts, GroupRole, Joining, RowPage } from '../ports/storage/groups.ts';
import type { Stores } from '../ports/storage/storage.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import { isUuid } from '../wire.ts';

/**
 * Maximum number of groups that other users can add a user to. Membership in more groups would slow down all calls of
 * the user.
 */
const MAX_GIVEN = 1000;

/** Maximum length of a user's list of groups: the maximum of the setting `group.max.per.user`, plus `MAX_GIVEN`. */
export const MAX_GROUPS_OF_USER = 1000 + MAX_GIVEN;

const ALL: RowPage = { after: null, skip: 0, limit: Number.MAX_SAFE_INTEGER };

export const unknownUser = (username: string) => new AppError('user.not_found', { detail: `"${username}"` });

export const limitReached = (what: string, most: number) =>
  new AppError('group.limit', { detail: `${what} at most ${most}` });

/** @throws `code` for an invalid group id */
export function idOf(id: string, code: ErrorCode = 'group.not_found'): string {
  if (!isUuid(id)) throw new AppError(code);
  return id.toLowerCase();
}

/** Announces that a user has joined or left a group, and that their permissions have changed. */
export async function announceMembership(stores: Stores, userId: string, now: number): Promise<void> {
  await markUser(stores, userId, { reason: 'group', now });
  await stores.announcer.announce({ topic: 'user', key: userId });
}

export async function roleOf(stores: Stores, id: string, userId: string): Promise<GroupRole | null> {
  return (await stores.groups.find(id, userId))?.role ?? null;
}

export async function userIdOf(stores: Stores, username: string, viewer: string | null = null): Promise<string | null> {
  const key = userKey(username);
  return (await stores.users.identify([key], viewer)).get(key) ?? null;
}

/** @throws `user.not_found` if a user blocks the caller */
export async function refuseBlocked(stores: Stores, actor: Actor, username: string): Promise<void> {
  const viewer = blockableViewer(actor);
  if (viewer !== null && (await userIdOf(stores, username, viewer)) === null) throw unknownUser(username);
}

/** Finds a user by name and locks them (see `lockUser`); null if there is none. */
export async function lockNamed(stores: Stores, username: string) {
  const userId = await userIdOf(stores, username);
  const user = userId === null ? null : await stores.groups.lockUser(userId);
  return userId === null || user === null ? null : { userId, ...user };
}

export interface MemberChange {
  readonly id: string;
  readonly userId: string;
  readonly joining: Joining;
  /** True if the user is already the owner. */
  readonly isOwner: boolean;
}

/** Removes the codes and invitations that would make managers. For a locked group. */
async function endManagerInvitations(stores: Stores, id: string, now: number): Promise<void> {
  for (const code of await stores.invitationCodes.list(id, now, ALL)) {
    if (code.role === 'manager') await stores.invitationCodes.remove(id, code.id);
  }
  for (const { userId, role } of await stores.groupInvitations.sent(id, ALL)) {
    if (role === 'manager') await stores.groupInvitations.remove(id, userId);
  }
}

export async function giveRole(
  stores: Stores,
  { id, userId, joining, isOwner }: MemberChange,
  role: GroupRole,
): Promise<void> {
  // Members cannot invite, so the codes of a former manager are removed.
  if (role === 'member') await stores.invitationCodes.removeOf(id, userId);
  if (role !== 'owner') return stores.groups.setRole(id, userId, role, joining);
  if (isOwner) return;
  // The former owner's codes end, and everyone's invitations for managers, which only the owner makes.
  await stores.invitationCodes.removeOfOwner(id);
  await endManagerInvitations(stores, id, joining.joined);
  await stores.groups.handOver(id, userId, joining);
}

/** Checks the limit of a user who creates or joins a group. @throws `group.limit` */
export function checkOwn({ counted }: GroupCounts, most: number): void {
  if (counted >= most) throw limitReached('groups that one user makes or joins:', most);
}

/** @throws `group.limit` if the limit of the group or of the user is reached */
export async function checkRoom(
  stores: Stores,
  { id, counts, counted }: { readonly id: string; readonly counts: GroupCounts; readonly counted: boolean },
  limits: SettingValues,
): Promise<void> {
  const members = limits['group.max.members'];
  if (counted) checkOwn(counts, limits['group.max.per.user']);
  else if (counts.given >= MAX_GIVEN) throw limitReached('groups that others add one user to:', MAX_GIVEN);
  if ((await stores.groups.size(id)) >= members) throw limitReached('members of one group:', members);
}
