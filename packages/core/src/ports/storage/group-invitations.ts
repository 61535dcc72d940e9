import type { FollowPolicy } from './follows.ts';
import type { Group, GroupRole, RowPage } from './groups.ts';

/** Who can add a user to groups: anyone at once, anyone whose invitation the user accepts, or nobody. */
export type GroupPolicy = FollowPolicy;

/** The role of a user who joins by an invitation. Nobody becomes the owner of a group by one. */
export type InvitedRole = Exclude<GroupRole, 'owner'>;

export interface GroupInvitation {
  readonly groupId: string;
  readonly userId: string;
  readonly role: InvitedRole;
  /** The id of the user who invites. */
  readonly by: string;
}

/** An invitation as the invited user sees it. */
export interface ReceivedInvitation {
  readonly group: Group;
  readonly role: InvitedRole;
  /** The name of the user who invites. */
  readonly by: string;
}

/** An invitation as the owner and the managers of the group see it. */
export interface SentInvitation {
  readonly userId: string;
  readonly name: string;
  readonly role: InvitedRole;
  /** The name of the user who invites. */
  readonly by: string;
}

/**
 * Invitations of users to groups by name, at most one of a user to a group. They end with the group, the invited user and
 * the user who invites. The use cases lock the user and the group before they change anything.
 */
export interface GroupInvitationStore {
  /** Stores an invitation, in place of an earlier one. */
  set(invitation: GroupInvitation): Promise<void>;
  /** Resolves to false when there was none. */
  remove(groupId: string, userId: string): Promise<boolean>;
  /** The role of an invitation that `received` lists; null without one. */
  open(groupId: string, userId: string): Promise<InvitedRole | null>;
  /** The number of invitations to a group. */
  count(groupId: string): Promise<number>;
  /** What a user is invited to, by the ids of the groups, without invitations by users whom the user blocks. */
  received(userId: string, page: RowPage): Promise<ReceivedInvitation[]>;
  /** Who is invited to a group, by the ids of the users. */
  sent(groupId: string, page: RowPage): Promise<SentInvitation[]>;
  /** The policy that a user has chosen; null when they have chosen none, or do not exist. */
  policy(userId: string): Promise<GroupPolicy | null>;
  /** Changes no membership and no invitation. Null for the usual policy. Does nothing when there is no such user. */
  setPolicy(userId: string, policy: GroupPolicy | null): Promise<void>;
}
