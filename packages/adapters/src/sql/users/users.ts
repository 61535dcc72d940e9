import type { CountedBelongings, UserCredentials, UserRecord, UserStore } from '@baobab/core';
import type { SqlExecutor, SqlValue } from '../statements/executor.ts';
import { asMissing, changesOne, isThere, jsonRows } from '../statements/fragments.ts';
import { readBounded } from '../statements/pages.ts';
import { onCopies } from '../statements/statement.ts';
import { countUsers, listUsers, summarizeUsers } from './user-lists.ts';
import { createUserNames, isAlike } from './user-names.ts';
import { removeUser } from './user-removal.ts';
import {
  COLUMNS,
  GROUPS_OF_USER,
  groupIds,
  IS_FOLLOWED,
  isOpenTo,
  LISTED,
  type ListedRow,
  NEW_COLUMNS,
  toListed,
  toRecord,
  toViewed,
  type UserRow,
  VIEWED,
} from './user-rows.ts';

const INSERT =
  onCopies(`insert into users (${NEW_COLUMNS}, name_key, password_hash, skeleton, email_awaited, guest_seen)
  select ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?16, ?17 where not ${isAlike('?14', '?15')}
  on conflict do nothing`);
const BY_ID = `select ${COLUMNS} from users where id = ?1 and ${isThere()}`;
const BY_KEY = `select ${COLUMNS} from users where name_key = ?1`;
/** ?1 role, ?2 limit */
const OF_ROLE = `select ${COLUMNS} from users where role = ?1 and ${isThere()} order by id limit ?2`;
const VIEW = `select ${VIEWED}, u.name_key, ${IS_FOLLOWED} from users u
  where u.name_key = ?1 and ${isOpenTo('u.id', '?2')}`;
/** ?1 keys as a JSON array, ?2 viewer */
const lookUp = (executor: SqlExecutor) => `select ${VIEWED}, u.name_key, ${IS_FOLLOWED}, w.place
  from ${jsonRows(executor, '?1')} w cross join users u
  where u.name_key = w.value and ${isOpenTo('u.id', '?2')}`;
const LOOKED_UP = { ...LISTED, names: [...LISTED.names, 'place'] };
const CREDENTIALS_OF = `select u.id, u.name, u.role, u.status, u.password_hash as "passwordHash", u.second_factor,
  u.email_awaited, ${GROUPS_OF_USER} as groups
  from users u where`;
const CREDENTIALS = `${CREDENTIALS_OF} u.name_key = ?1`;
const CREDENTIALS_BY_EMAIL = `${CREDENTIALS_OF} u.id = coalesce((select n.id from users n where n.name_key = ?1),
  (select v.user_id from verified_emails v where v.email_key = ?2))`;
/** ?1 keys as a JSON array, ?2 viewer, or null */
const identify = (executor: SqlExecutor) => `select u.id, u.name_key from users u
  where u.name_key in (select w.value from ${jsonRows(executor, '?1')} w) and ${isOpenTo('u.id', '?2')}`;
const UPDATE = onCopies(`update users set role = coalesce(?2, role), status = coalesce(?3, status),
  password_hash = coalesce(?4, password_hash), visible_user = coalesce(?5, visible_user),
  visible_friend = coalesce(?6, visible_friend), visible_registered = coalesce(?7, visible_registered),
  visible_anonymous = coalesce(?8, visible_anonymous),
  erase_at = case when cast(?3 as text) = 'ACTIVE' then null else coalesce(?9, erase_at) end where id = ?1 and ${isThere()} returning ${COLUMNS}`);
/** ?1 user, ?2 limit. Each count uses an index. */
const counted = (of: string) => `(select count(*) from (select 1 from ${of} = ?1 limit ?2) of_user)`;
const BELONGINGS = `select ${counted('documents where author')} as documents, ${counted('files where author')} as files,
  ${counted('sessions where user_id')} as sessions, ${counted('follows where followed')} as followers,
  ${counted('follows where follower')} as following`;
const NOTHING: CountedBelongings = { documents: 0, files: 0, sessions: 0, followers: 0, following: 0 };

type CredentialsRow = Omit<UserCredentials, 'groups' | 'hasSecondFactor' | 'awaitsEmail'> & {
  readonly groups: string | null;
  readonly second_factor: number | null;
  readonly email_awaited: number | null;
};

const MAKE_PERMANENT = [
  onCopies('update users set guest_seen = null where id = ?1 and guest_seen is not null'),
  'update sessions set guest_session = null where user_id = ?1 and guest_session is not null',
];
const SEEN = onCopies('update users set guest_seen = ?2 where id = ?1 and guest_seen < ?2');
/**
 * Guests with a way to log in are never removed, since a program of an older version may set a password during an
 * upgrade.
 */
const IS_ABSENT = `guest_seen < ?2 and password_hash is null
  and not exists (select 1 from passkeys p where p.user_id = users.id)
  and not exists (select 1 from social_links l where l.user_id = users.id)`;
const ABSENT = `select id from users where ${IS_ABSENT} limit ?1`;
/** Either sees a concurrent change that makes the guest permanent, or makes that change find no row. */
const LOCK_ABSENT = onCopies(`update users set guest_seen = guest_seen where id = ?1 and ${IS_ABSENT}`);

/** Makes a changed user permanent, together with the change. */
function makePermanent<Row>(
  executor: SqlExecutor,
  id: string,
  change: (executor: SqlExecutor) => Promise<Row>,
): Promise<Row> {
  return executor.atomic(async (transaction) => {
    for (const statement of MAKE_PERMANENT) await transaction.change(statement, [id]);
    return change(transaction);
  });
}

const DUE = 'select id from users where erase_at <= ?1 order by erase_at limit ?2';
/** Either sees a concurrent change that clears the time, or makes that change wait. */
const LOCK_DUE = onCopies('update users set erase_at = erase_at where id = ?1 and erase_at <= ?2');

export function createUserStore(executor: SqlExecutor): UserStore {
  async function one(sql: string, param: string): Promise<UserRecord | null> {
    const row = await executor.readOne<UserRow>(sql, [param]);
    return row === null ? null : toRecord(row);
  }

  const roleMissing = asMissing(executor, 'role.not_found');
  const names = createUserNames(executor);

  return {
    isTaken: names.isTaken,
    rename: names.rename,
    async add({ id, name, role, status, generated, guest, created, sections, ...rest }) {
      const { key, passwordHash, skeleton, isPlain, awaitsEmail } = rest;
      const values = (own: string, excluded: readonly string[]) => [
        id,
        name,
        role,
        status,
        generated ? 1 : 0,
        created,
        sections.visibleByTheUser,
        sections.visibleByFriend,
        sections.visibleByRegisteredUsers,
        sections.visibleByAnonymousUsers,
        key,
        passwordHash,
        own,
        ...excluded,
        awaitsEmail ? 1 : null,
        guest ? created : null,
      ];
      const claim = { name: { key, skeleton, isPlain }, userId: id, now: created };
      return names
        .add(claim, (claimed, { own, excluded }) => claimed.change(INSERT, values(own, excluded)))
        .catch(roleMissing);
    },
    find: (id) => one(BY_ID, id),
    findByKey: (key) => one(BY_KEY, key),
    ofRole: async (role, limit) => (await executor.read<UserRow>(OF_ROLE, [role, limit])).map(toRecord),
    async view(key, viewer) {
      const row = await executor.readOne<ListedRow>(VIEW, [key, viewer]);
      return row === null ? null : toViewed(row);
    },
    async lookUp({ keys, viewer, maxBytes }) {
      const rows = await readBounded<ListedRow & { readonly place: number }>(executor, 'read', {
        text: lookUp(executor),
        values: [JSON.stringify(keys), viewer],
        columns: LOOKED_UP,
        order: 'place',
        maxBytes,
      });
      return rows.toSorted((a, b) => a.place - b.place).map(toListed);
    },
    async identify(keys, viewer) {
      const values = [JSON.stringify(keys), viewer];
      const rows = await executor.read<{ id: string; name_key: string }>(identify(executor), values);
      return new Map(rows.map(({ id, name_key }) => [name_key, id]));
    },
    async credentials(key, emailKey = null) {
      const [sql, values] = emailKey === null ? [CREDENTIALS, [key]] : [CREDENTIALS_BY_EMAIL, [key, emailKey]];
      const row = await executor.readOne<CredentialsRow>(sql, values);
      if (row === null) return null;
      const { second_factor, email_awaited, groups, ...credentials } = row;
      return {
        ...credentials,
        groups: groupIds(groups),
        hasSecondFactor: second_factor !== null,
        awaitsEmail: email_awaited !== null,
      };
    },
    async update(id, { role, status, eraseAt, passwordHash, guest, sections = {} }) {
      const values: SqlValue[] = [
        id,
        role ?? null,
        status ?? null,
        passwordHash ?? null,
        sections.visibleByTheUser ?? null,
        sections.visibleByFriend ?? null,
        sections.visibleByRegisteredUsers ?? null,
        sections.visibleByAnonymousUsers ?? null,
        eraseAt ?? null,
      ];
      const update = async (changed: SqlExecutor) =>
        (await changed.write<UserRow>(UPDATE, values).catch(roleMissing))[0];
      const isPermanent = passwordHash !== undefined || guest === false;
      const row = await (isPermanent ? makePermanent(executor, id, update) : update(executor));
      return row === undefined ? null : toRecord(row);
    },
    list: (list) => listUsers(executor, list),
    count: (selection) => countUsers(executor, selection),
    summarize: (summary) => summarizeUsers(executor, summary),
    async belongings(id, most) {
      return (await executor.readOne<CountedBelongings>(BELONGINGS, [id, most])) ?? NOTHING;
    },
    async seen(id, at) {
      await executor.change(SEEN, [id, at]);
    },
    async absentGuests(moment, limit) {
      return (await executor.read<{ id: string }>(ABSENT, [limit, moment])).map(({ id }) => id);
    },
    lockAbsentGuest: (id, moment) => changesOne(executor, LOCK_ABSENT, [id, moment]),
    async dueErasures(now, limit) {
      return (await executor.read<{ id: string }>(DUE, [now, limit])).map(({ id }) => id);
    },
    lockDueErasure: (id, now) => changesOne(executor, LOCK_DUE, [id, now]),
    remove: (id, keepsShared) => removeUser(executor, id, keepsShared),
  };
}
