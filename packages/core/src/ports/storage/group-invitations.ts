import type { FollowPolicy } from './follows.ts';
import type { Group, GroupRole, RowPage } from './groups.ts';

/** Group policy of a user: membership without consent, by invitation, or refused. */
export type GroupPolicy = FollowPolicy;

/** Role of a user who joins by an invitation. Invitations cannot make a user the owner. */
export type InvitedRole = Exclude<GroupRole, 'owner'>;

export interface GroupInvitation {
  readonly groupId: string;
  readonly userId: string;
  readonly role: InvitedRole;
  /** Id of the inviting user. */
  readonly by: string;
}

/** An invitation as shown to the invited user. */
export interface ReceivedInvitation {
  readonly group: Group;
  readonly role: InvitedRole;
  /** Name of the inviting user. */
  readonly by: string;
}

/** An invitation as shown to the owner and the managers of the group. */
export interface SentInvitation {
  readonly userId: string;
  readonly name: string;
  readonly role: InvitedRole;
  /** Name of the inviting user. */
  readonly by: string;
}

/**
 * Invitations of users to groups by name, at most one per user and group. They are removed with the group, the invited
 * user or the inviting user. The use cases lock the user and the group before they change anything.
 */
export interface GroupInvitationStore {
  /** Stores an invitation, replacing an earlier one. */
  set(invitation: GroupInvitation): Promise<void>;
  /** Resolves to false if there was none. */
  remove(groupId: string, userId: string): Promise<boolean>;
  /** Returns the role of an invitation that `received` lists; null if there is none. */
  open(groupId: string, userId: string): Promise<InvitedRole | null>;
  /** Returns the number of invitations to a group. */
  count(groupId: string): Promise<number>;
  /** Returns a user's invitations, by group id, except those sent by users whom the user blocks. */
  received(userId: string, page: RowPage): Promise<ReceivedInvitation[]>;
  /** Returns the invitations to a group, by user id. */
  sent(groupId: string, page: RowPage): Promise<SentInvitation[]>;
  /** Returns the policy chosen by a user; null if they have chosen none, or do not exist. */
  policy(userId: string): Promise<GroupPolicy | null>;
  /**
   * Sets the policy without changing memberships and invitations. Null for the default policy. No-op if there is no
   * such user.
   */
  setPolicy(userId: string, policy: GroupPolicy | null): Promise<void>;
}
