import { type Actor, requireUser } from '../actor.ts';
import { AppError } from '../errors.ts';
import type { GroupPolicy, InvitedRole } from '../ports/storage/group-invitations.ts';
import type { GroupCounts, GroupRole } from '../ports/storage/groups.ts';
import type { Stores } from '../ports/storage/storage.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import { checkRoom, limitReached, refuseBlocked } from './membership.ts';

/** A user who is not in a group, locked, and the role that they are to have in it. */
export interface Admission {
  readonly groupId: string;
  readonly user: GroupCounts & { readonly userId: string };
  /** The name by which the caller calls the user. */
  readonly username: string;
  readonly role: GroupRole;
  /** Whether the membership counts toward the user's limit. */
  readonly counted: boolean;
}

/** The role to which a user is invited; null when they need no invitation: administrators add anybody. */
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
 * Lets a user join a group, or invites them, as their policy says. Resolves to whether the user joins now.
 *
 * @throws `user.not_found` when the user blocks the caller, `group.add_refused`, `group.limit`, `group.member_not_found`
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
