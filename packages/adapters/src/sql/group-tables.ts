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
