import type { ColumnTypes } from './dialect.ts';

/** Follows, blocks and groups. */
export const relationTables = ({ uuid, text, integer }: ColumnTypes): readonly string[] => [
  `create table follows (
    follower ${uuid} not null references users (id) on delete cascade,
    followed ${uuid} not null references users (id) on delete cascade,
    primary key (follower, followed)
  )`,
  `create index follows_by_followed on follows (followed, follower)`,
  `create table follow_requests (
    follower ${uuid} not null references users (id) on delete cascade,
    followed ${uuid} not null references users (id) on delete cascade,
    primary key (follower, followed)
  )`,
  `create index follow_requests_by_followed on follow_requests (followed, follower)`,
  // The key starts with the column that profiles and lists search by.
  `create table blocks (
    blocked ${uuid} not null references users (id) on delete cascade,
    blocker ${uuid} not null references users (id) on delete cascade,
    primary key (blocked, blocker)
  )`,
  `create index blocks_by_blocker on blocks (blocker, blocked)`,

  `create table user_groups (
    id ${uuid} primary key,
    name ${text} not null,
    created ${integer} not null
  )`,
  // counted: 1 if the membership counts toward the limit of the user, who created the group or accepted an
  // invitation.
  `create table group_members (
    user_id ${uuid} not null references users (id) on delete cascade,
    group_id ${uuid} not null references user_groups (id) on delete cascade,
    role ${text} not null,
    joined ${integer} not null,
    counted ${integer} not null,
    primary key (user_id, group_id)
  )`,
  `create index group_members_by_group on group_members (group_id, user_id)`,
  `create unique index group_members_owner on group_members (group_id) where role = 'owner'`,
  `create table group_invitations (
    user_id ${uuid} not null references users (id) on delete cascade,
    group_id ${uuid} not null references user_groups (id) on delete cascade,
    role ${text} not null,
    invited_by ${uuid} not null references users (id) on delete cascade,
    primary key (user_id, group_id)
  )`,
  `create index group_invitations_by_group on group_invitations (group_id, user_id)`,
  `create index group_invitations_by_inviter on group_invitations (invited_by, user_id, group_id)`,
  // digest: of the code. email: verified address required to accept, if any.
  `create table invitation_codes (
    id ${uuid} primary key,
    digest ${text} not null unique,
    group_id ${uuid} not null references user_groups (id) on delete cascade,
    invited_by ${uuid} not null references users (id) on delete cascade,
    role ${text} not null,
    email ${text},
    uses ${integer} not null,
    expires ${integer} not null
  )`,
  `create index invitation_codes_by_group on invitation_codes (group_id, id)`,
  `create index invitation_codes_by_inviter on invitation_codes (invited_by, id)`,
  `create index invitation_codes_by_end on invitation_codes (expires)`,
  // Members whom others removed: codes made until then do not admit them.
  `create table removed_members (
    user_id ${uuid} not null references users (id) on delete cascade,
    group_id ${uuid} not null references user_groups (id) on delete cascade,
    removed ${integer} not null,
    expires ${integer} not null,
    primary key (user_id, group_id)
  )`,
  `create index removed_members_by_group on removed_members (group_id, user_id)`,
  `create index removed_members_by_end on removed_members (expires)`,
  // Removed groups that may still have grants.
  `create table removed_groups (id ${uuid} primary key)`,
];
