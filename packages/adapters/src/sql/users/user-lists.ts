import {
  type ListedUser,
  type OrderKey,
  type ProfileScope,
  REMOVED_KEYS,
  type SummaryRow,
  type UserList,
  type UserSelection,
  type UserSet,
  type UserSummary,
  userSortColumn,
} from '@baobab/core';
import { TABLES } from '../criteria/list-fields.ts';
import { createObjectQueries } from '../criteria/object-queries.ts';
import type { MakeSource, ObjectSource } from '../criteria/object-statement.ts';
import { isWhole, userColumn, userMeaning, visibleUsers } from '../criteria/user-fields.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { countOf, isThere } from '../statements/fragments.ts';
import { readBounded } from '../statements/pages.ts';
import { areOpenTo, IS_FOLLOWED, LISTED, type ListedRow, toListed, VIEWED } from './user-rows.ts';

interface UserTables {
  /** @param users `users u`, or a replacement */
  from(users: string): string;
  readonly id: string;
}

/** Users with a relation to the user ?1. */
const related = (table: string, listed: string, to: string): UserTables => ({
  from: (users) => `${table} f join ${users} on u.id = f.${listed} and f.${to} = ?1`,
  id: `f.${listed}`,
});

/** Tables of a list, by set of users. */
const USER_SETS: Readonly<Record<UserSet['kind'], UserTables>> = {
  all: { from: (users) => users, id: 'u.id' },
  following: related('follows', 'followed', 'follower'),
  followers: related('follows', 'follower', 'followed'),
  requests: related('follow_requests', 'follower', 'followed'),
  blocked: related('blocks', 'blocked', 'blocker'),
};

const tablesOf = ({ kind }: UserSet) => ({ from: USER_SETS[kind].from('users u'), id: USER_SETS[kind].id });

/** True if there can be users who block the viewer, and must be left out. */
const isBlockable = ({ viewer, everything }: ProfileScope) => viewer !== null && !everything;

/** Returns the condition that leaves out users who block the viewer. ?2 viewer */
const openRows = (profileScope: ProfileScope, id: string, mark = '?2') =>
  isBlockable(profileScope) ? ` and ${areOpenTo(id, mark)}` : '';

/**
 * Users whose removal has begun have the greatest keys. As a bound, this costs nothing if an index on the keys is
 * read.
 */
const IS_LISTED = `u.name_key <> ?3 and u.name_key < '${REMOVED_KEYS}'`;

/**
 * ?3 user to leave out. Users who block the viewer are subtracted, because a condition on each row would make the
 * database read rows that an index-only count skips.
 */
function countStatement({ userSet, profileScope }: UserSelection): string {
  const { from, id } = tablesOf(userSet);
  const all = `select count(*) as n from ${from} where ${IS_LISTED}`;
  if (!isBlockable(profileScope)) return all;
  const hidden = `select count(*) from blocks b cross join ${from}
    where b.blocked = ?2 and ${id} = b.blocker and ${IS_LISTED}`;
  return `select (${all}) - (${hidden}) as n`;
}

const middle = (userSet: UserSet) => (userSet.kind === 'all' ? null : userSet.of);

/** Order of an index: by id, or by the key of the name. */
interface Walk {
  readonly by: 'id' | 'key';
  readonly descending: boolean;
}

/** Returns null for an order without an index. Only the list of all users has one on the keys. */
function walkOf([key]: readonly OrderKey[], { kind }: UserSet): Walk | null {
  if (key === undefined) return { by: 'id', descending: false };
  const by = userSortColumn(key);
  return by === null || (by === 'key' && kind !== 'all') ? null : { by, descending: key.descending };
}

/** Returns the place where a list continues, or null for the start. */
function placeOf({ by }: Walk, after: UserList['after']): string | null {
  if (after === null || by === 'id') return after?.id ?? null;
  const [key] = after.keys;
  return typeof key === 'string' ? key : '';
}

/** ?3 user to leave out, ?4 cursor, ?5 limit, ?6 number of rows to skip */
function walkStatement({ userSet, profileScope, after }: UserList, { by, descending }: Walk): string {
  const { from, id } = tablesOf(userSet);
  const column = by === 'key' ? 'u.name_key' : id;
  const isBehind = after === null ? '' : ` and ${column} ${descending ? '<' : '>'} ?4`;
  return `select ${VIEWED}, u.name_key, ${IS_FOLLOWED} from ${from} where u.name_key <> ?3 and ${isThere('u.name')}${openRows(profileScope, id)}${isBehind}
    order by ${column} ${descending ? 'desc' : 'asc'} limit ?5 offset ?6`;
}

/** An index contains the values of all users, so it serves only values that the viewer may read for all of them. */
const allUsers = (profileScope: ProfileScope, viewer: string): ObjectSource['whole'] => ({
  list: 'users',
  isIndexed: (path) => isWhole(path, profileScope),
  within: (where) => (where === null ? null : visibleUsers(where, profileScope, viewer)),
});

/** Users of a set, as seen by a viewer. Its parameters are those of `IS_FOLLOWED` and of the sets of users. */
export const sourceOf =
  ({ userSet, profileScope, without }: UserSelection): MakeSource =>
  (params, dialect) => {
    const [, viewer = ''] = [middle(userSet), profileScope.viewer].map((value) => params.add(value));
    return {
      columns: `${VIEWED}, u.name_key, ${IS_FOLLOWED}`,
      listed: LISTED,
      table: TABLES.users,
      from: USER_SETS[userSet.kind].from,
      where: `u.name_key <> ${params.text(without)} and ${isThere('u.name')}${openRows(profileScope, 'u.id', viewer)}`,
      resolve: userMeaning(dialect, profileScope, viewer),
      sortColumn: userColumn,
      whole: userSet.kind === 'all' ? allUsers(profileScope, viewer) : null,
    };
  };

export async function listUsers(executor: SqlExecutor, list: UserList): Promise<ListedUser[]> {
  const { userSet, profileScope, without, where, order, after, limit, skip, maxBytes } = list;
  const walk = where === null ? walkOf(order, userSet) : null;
  if (walk === null) return (await createObjectQueries(executor).list<ListedRow>(sourceOf(list), list)).map(toListed);
  const values = [middle(userSet), profileScope.viewer, without, placeOf(walk, after), limit, skip];
  const by = `${walk.by === 'key' ? 'name_key' : 'id'}${walk.descending ? ' desc' : ''}`;
  const bounded = { text: walkStatement(list, walk), values, columns: LISTED, order: by, maxBytes };
  return (await readBounded<ListedRow>(executor, 'read', bounded)).map(toListed);
}

export async function countUsers(executor: SqlExecutor, selection: UserSelection): Promise<number> {
  const { userSet, profileScope, without, where } = selection;
  if (where !== null) return createObjectQueries(executor).count(sourceOf(selection), where);
  return countOf(executor, countStatement(selection), [middle(userSet), profileScope.viewer, without]);
}

export const summarizeUsers = (executor: SqlExecutor, summary: UserSummary): Promise<SummaryRow[]> =>
  createObjectQueries(executor).summarize(sourceOf(summary), summary);
