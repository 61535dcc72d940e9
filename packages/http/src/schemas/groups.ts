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
const InvitedRole = OneOf(INVITED_ROLES, 'The role of the user after accepting');
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

/** Null selects the setting `group.add.default`. */
export const GroupPolicy = Type.Object(
  {
    add: OneOfOrNull(FOLLOW_POLICIES, 'Users who can add you to groups; null: the setting `group.add.default` applies'),
  },
  { title: 'GroupPolicy' },
);

const MAX_USES = 10_000;
const MINUTE = 60;
const YEAR = 31_536_000;
const WEEK = 604_800;

export const InvitationBody = Type.Object({
  role: Type.Optional(InvitedRole),
  email: Type.Optional(
    Type.String({
      description: 'The code is mailed to this address, and only the user who has verified it can accept',
    }),
  ),
  uses: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_USES, default: 1, description: 'Maximum number of users who can accept' }),
  ),
  expires: Type.Optional(
    Type.Integer({ minimum: MINUTE, maximum: YEAR, default: WEEK, description: 'Seconds for which the code works' }),
  ),
});

export const NewInvitation = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    code: Type.String({ description: 'Only this response shows it' }),
    url: Type.Union([Type.String(), Type.Null()], {
      description: 'The page of the app from the setting `invitation.url`; null without it',
    }),
  },
  { title: 'NewInvitation' },
);

const expires = Type.String({ description: 'Expiry of the code' });

export const ListedInvitation = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    role: InvitedRole,
    email: Type.Union([Type.String(), Type.Null()]),
    uses: Type.Integer({ description: 'Number of users who can still accept' }),
    expires,
    invited_by,
  },
  { title: 'ListedInvitation' },
);

export const ShownInvitation = Type.Object(
  { group: Type.Object({ name: group.name }), role: InvitedRole, invited_by, expires },
  { title: 'ShownInvitation' },
);
