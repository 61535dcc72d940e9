import type { FollowPolicy, Group, GroupInvitation, GroupRole, InvitationCode } from '@baobab/core';
import { createTable, type Journal } from './tables.ts';

export interface GroupMemberRow {
  readonly groupId: string;
  readonly userId: string;
  readonly role: GroupRole;
  readonly joined: number;
  readonly counted: boolean;
}

/** The policy that a user chose. */
export interface PolicyRow {
  readonly userId: string;
  readonly policy: FollowPolicy;
}

export interface InvitationCodeRow extends InvitationCode {
  readonly digest: string;
}

export const memberKey = (groupId: string, userId: string) => `${groupId} ${userId}`;

export const groupTables = (journal: Journal) => ({
  groups: createTable<Group>({ journal, key: ({ id }) => id }),
  groupMembers: createTable<GroupMemberRow>({
    journal,
    key: ({ groupId, userId }) => memberKey(groupId, userId),
    indexes: { group: ({ groupId }) => groupId, user: ({ userId }) => userId },
  }),
  groupInvitations: createTable<GroupInvitation>({
    journal,
    key: ({ groupId, userId }) => memberKey(groupId, userId),
    indexes: { group: ({ groupId }) => groupId, user: ({ userId }) => userId, by: ({ by }) => by },
  }),
  invitationCodes: createTable<InvitationCodeRow>({
    journal,
    key: ({ id }) => id,
    indexes: { group: ({ groupId }) => groupId, by: ({ by }) => by, digest: ({ digest }) => digest },
  }),
  groupPolicies: createTable<PolicyRow>({ journal, key: ({ userId }) => userId }),
});
