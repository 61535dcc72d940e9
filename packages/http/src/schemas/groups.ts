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
