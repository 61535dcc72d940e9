import { type Actor, requireUser } from '../actor.ts';
import { AppError } from '../errors.ts';
import type { GroupPolicy, InvitedRole } from '../ports/storage/group-invitations.ts';
import type { GroupCounts, GroupRole } from '../ports/storage/groups.ts';
import type { Stores } from '../ports/storage/storage.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import { checkRoom, limitReached, refuseBlocked } from './membership.ts';

/** A user who is not in a group, locked, and their intended role in it. */
export interface Admission {
  readonly groupId: string;
  readonly user: GroupCounts & { readonly userId: string };
  /** User name as written by the caller. */
  readonly username: string;
  readonly role: GroupRole;
  /** True if the membership counts toward the user's limit. */
  readonly counted: boolean;
}

/** Returns the role offered in an invitation; null if none is needed, because administrators can add anyone. */
async function roleToOffer(
  stores: Stores,
  actor: Actor,
  { user, role }: Admission,
  usual: GroupPolicy,
): Promise<InvitedRole | null> {
  if (actor.isAdmin || user.userId === actor.user?.id) return null;
  if (role === 'owner') throw new AppError('group.member_not_found', { detail: 'only a member can become the owner' });
  const policy = (await stores.groupInvitations.policy(user.userId)) ?? usual;
  if (policy === 'nobody') throw new AppError('group.add_refused');
  return policy === 'approve' ? role : null;
}

/**
 * Lets a user join a group, or invites them, depending on their policy. Resolves to true if the user joins now.
 *
 * @throws `user.not_found` if the user blocks the caller, `group.add_refused`, `group.limit`, `group.member_not_found`
 */
export async function admit(
  stores: Stores,
  actor: Actor,
  admission: Admission,
  limits: SettingValues,
): Promise<boolean> {
  const { groupId, user, username, counted } = admission;
  await refuseBlocked(stores, actor, username);
  const role = await roleToOffer(stores, actor, admission, limits['group.add.default'] as GroupPolicy);
  const wasInvited = await stores.groupInvitations.remove(groupId, user.userId);
  if (role === null) {
    await checkRoom(stores, { id: groupId, counts: user, counted }, limits);
    return true;
  }
  const most = limits['group.max.members'];
  if (!wasInvited && (await stores.groupInvitations.count(groupId)) >= most) {
    throw limitReached('invitations to one group:', most);
  }
  await stores.groupInvitations.set({ groupId, userId: user.userId, role, by: requireUser(actor).id });
  return false;
}
