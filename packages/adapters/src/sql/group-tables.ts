import type { Migration } from './migrations.ts';
import type { Dialect } from './schema-dialect.ts';

/** Which memberships count toward the limit of the user: those of the groups that they made or accepted to join. */
export const countedMemberships = ({ integer }: Pick<Dialect, 'integer'>): Migration => ({
  name: 'counted memberships',
  statements: [
    // Others gave the memberships until now, except those of the owners.
    `alter table group_members add column counted ${integer} not null default 0`,
    `update group_members set counted = 1 where role = 'owner'`,
  ],
});

/** Invitations of users to groups, and whom users let add them. */
export const groupInvitations = ({ uuid, text }: Pick<Dialect, 'uuid' | 'text'>): Migration => ({
  name: 'invitations to groups',
  statements: [
    `alter table users add column group_policy ${text}`,
    `create table group_invitations (
      user_id ${uuid} not null references users (id) on delete cascade,
      group_id ${uuid} not null references user_groups (id) on delete cascade,
      role ${text} not null,
      invited_by ${uuid} not null references users (id) on delete cascade,
      primary key (user_id, group_id)
    )`,
    `create index group_invitations_by_group on group_invitations (group_id, user_id)`,
    `create index group_invitations_by_inviter on group_invitations (invited_by, user_id, group_id)`,
  ],
});
