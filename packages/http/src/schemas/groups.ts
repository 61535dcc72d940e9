import { FOLLOW_POLICIES } from '@baobab/core';
import { Type } from 'typebox';
import { OneOf, OneOfOrNull, pagingQuery } from './common.ts';

const ROLES = ['owner', 'manager', 'member'] as const;
const Role = OneOf(ROLES, 'The role in the group');

const group = {
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  role: OneOfOrNull(ROLES, 'The role of the caller; null for administrators who are not in the group'),
};

export const Group = Type.Object(group, { title: 'Group' });
export const GroupMember = Type.Object({ name: Type.String(), role: Role }, { title: 'GroupMember' });
export const GroupWithMembers = Type.Object(
  { ...group, members: Type.Array(GroupMember) },
  { title: 'GroupWithMembers' },
);
export const ListedGroup = Type.Object(
  { id: group.id, name: group.name, members: Type.Integer({ description: 'The number of members' }) },
  { title: 'ListedGroup' },
);

export const GroupBody = Type.Object({
  name: Type.String({ description: '1 to 128 characters; names need not be unique' }),
});
export const MemberBody = Type.Object({ role: Role });

export const GroupQuery = Type.Object(pagingQuery);

const INVITED_ROLES = ['manager', 'member'] as const;
const InvitedRole = OneOf(INVITED_ROLES, 'The role that the user will have');
const invited_by = Type.String({ description: 'The user who invites' });

export const Invited = Type.Object(
  { status: OneOf(['invited']) },
  { title: 'Invited', description: 'The user has to accept the invitation' },
);
export const SentInvitation = Type.Object(
  { name: Type.String({ description: 'The user who is invited' }), role: InvitedRole, invited_by },
  { title: 'SentInvitation' },
);
export const ReceivedInvitation = Type.Object(
  { group: Type.Object({ id: group.id, name: group.name }), role: InvitedRole, invited_by },
  { title: 'ReceivedInvitation' },
);

/** Null: the setting `group.add.default`. */
export const GroupPolicy = Type.Object(
  { add: OneOfOrNull(FOLLOW_POLICIES, 'Who can add you to groups; null: what the setting `group.add.default` says') },
  { title: 'GroupPolicy' },
);
