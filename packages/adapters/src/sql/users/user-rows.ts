import type { ListedUser, UserRecord, ViewedUser } from '@baobab/core';
import type { ListedColumns } from '../statements/pages.ts';

export interface UserRow {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly status: UserRecord['status'];
  readonly generated: number;
  readonly created: number;
  readonly visible_user: string;
  readonly visible_friend: string;
  readonly visible_registered: string;
  readonly visible_anonymous: string;
  readonly email_verified: number | null;
  readonly guest_seen: number | null;
}

export interface ListedRow extends UserRow {
  readonly name_key: string;
  readonly is_followed: number;
}

const STORED = [
  'id',
  'name',
  'role',
  'status',
  'generated',
  'created',
  'visible_user',
  'visible_friend',
  'visible_registered',
  'visible_anonymous',
];
const NAMES = [...STORED, 'email_verified', 'guest_seen'];
const SECTIONS = NAMES.filter((name) => name.startsWith('visible_'));
/** Columns of a new user. */
export const NEW_COLUMNS = STORED.join(', ');
export const COLUMNS = NAMES.join(', ');
/** Columns of `users u` that a list reads. */
export const VIEWED = NAMES.map((name) => `u.${name}`).join(', ');
/** Columns of a list, with the key of the name and `is_followed` for the viewer. */
export const LISTED: ListedColumns = {
  names: [...NAMES, 'name_key', 'is_followed'],
  heavy: SECTIONS,
};

/** ?2 viewer, or null */
export const IS_FOLLOWED = `case when exists (select 1 from follows v where v.follower = ?2 and v.followed = u.id)
  then 1 else 0 end as is_followed`;

/**
 * Returns the condition that the user with this id does not block the viewer.
 *
 * @param id a column
 * @param viewer mark of the viewer
 */
export const isOpenTo = (id: string, viewer: string) =>
  `not exists (select 1 from blocks b where b.blocked = ${viewer} and b.blocker = ${id})`;

/**
 * Like `isOpenTo`, for lists. A statement checks once if any user blocks the viewer. For most viewers there is none,
 * and then a row costs nothing.
 */
export const areOpenTo = (id: string, viewer: string) =>
  `(not exists (select 1 from blocks any_block where any_block.blocked = ${viewer}) or ${isOpenTo(id, viewer)})`;

export function toRecord(row: UserRow): UserRecord {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    status: row.status,
    generated: row.generated === 1,
    created: row.created,
    emailVerified: row.email_verified !== null,
    guest: row.guest_seen !== null,
    sections: {
      visibleByTheUser: row.visible_user,
      visibleByFriend: row.visible_friend,
      visibleByRegisteredUsers: row.visible_registered,
      visibleByAnonymousUsers: row.visible_anonymous,
    },
  };
}

export const toViewed = (row: ListedRow): ViewedUser => ({ ...toRecord(row), isFollowed: row.is_followed === 1 });
export const toListed = (row: ListedRow): ListedUser => ({ ...toViewed(row), key: row.name_key });

/** Ids of the groups of the user `u`, separated by commas. Null if there are none. */
export const GROUPS_OF_USER = `(select string_agg(cast(m.group_id as text), ',') from group_members m
  where m.user_id = u.id)`;

/** Parses the ids in a value of `GROUPS_OF_USER`. */
export const groupIds = (text: string | null): string[] => (text === null ? [] : text.split(','));
