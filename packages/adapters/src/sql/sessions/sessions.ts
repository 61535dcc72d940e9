import type { Session, SessionOrigin, SessionStore, UserStatus, UserWithGroups } from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';
import { asMissing, changesOne, withRowLock } from '../statements/fragments.ts';
import { GROUPS_OF_USER, groupIds } from '../users/user-rows.ts';

interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly created: number;
  readonly last_used: number;
  readonly device: string | null;
}

interface SessionUserRow extends SessionRow {
  readonly guest_seen: number | null;
  readonly name: string;
  readonly role: string;
  readonly status: UserStatus;
  readonly groups: string | null;
}

interface ListedSessionRow extends SessionRow, SessionOrigin {
  readonly guest_session: number | null;
}

const COLUMNS = 'id, user_id, created, last_used, device';
const ORIGIN = 'network, agent, factor';
/** Maximum number of sessions that `surplus` returns. Most users have only one session per device. */
const MOST_SURPLUS = 1_000;
/** `select`, because a distributed database accepts no subquery in `values`. */
const INSERT = `insert into sessions (${COLUMNS}, ${ORIGIN}, logged_in, guest_session) select ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,
  (select 1 from users u where u.id = ?2 and u.guest_seen is not null)`;
/**
 * Guests have no password, so they cannot start a session in this way. Without the lock, a concurrent change of the
 * user would miss the session.
 */
const BEGIN = withRowLock(
  'no key update',
  (lock) => `insert into sessions (${COLUMNS}, ${ORIGIN})
  select ?1, u.id, ?3, ?4, ?5, ?6, ?7, ?8 from users u where u.id = ?2 and u.name_key = ?9 and u.password_hash = ?10 and u.status = 'ACTIVE'
  and u.second_factor is null${lock}`,
);
const FIND = `select s.id, s.user_id, s.created, s.last_used, s.device,
  u.name, u.role, u.status, u.guest_seen, ${GROUPS_OF_USER} as groups
  from sessions s join users u on u.id = s.user_id where s.id = ?1`;
const TOUCH = 'update sessions set last_used = case when last_used < ?2 then ?2 else last_used end where id = ?1';
const LOGGED_IN = 'select coalesce(logged_in, created) as at from sessions where id = ?1';
const SET_DEVICE = 'update sessions set device = ?2 where id = ?1';
const REMOVE = `delete from sessions where id = ?1 returning ${COLUMNS}`;
const REMOVE_OF_USER = 'delete from sessions where user_id = ?1 and id <> ?2 returning id';
const LIST = `select ${COLUMNS}, ${ORIGIN}, guest_session
  from sessions where user_id = ?1 order by created desc, id desc limit ?2`;
const SURPLUS = `select ${COLUMNS} from sessions where user_id = ?1 and id <> ?2
  order by last_used desc, created desc, id desc limit ${MOST_SURPLUS} offset ?3`;
const REMOVE_UNUSED = `delete from sessions
  where id in (select id from sessions where last_used < ?1 and guest_session is null limit ?2)`;

const toSession = (row: SessionRow): Session => ({
  id: row.id,
  userId: row.user_id,
  created: row.created,
  lastUsed: row.last_used,
  deviceId: row.device,
});

const valuesOf = ({ id, userId, created, lastUsed, deviceId }: Session, origin?: SessionOrigin) => [
  id,
  userId,
  created,
  lastUsed,
  deviceId,
  origin?.network ?? null,
  origin?.agent ?? null,
  origin?.factor ?? null,
];

function toUser({ user_id: id, name, role, status, groups }: SessionUserRow): UserWithGroups {
  return { id, name, role, status, groups: groupIds(groups) };
}

export function createSessionStore(executor: SqlExecutor): SessionStore {
  return {
    async add(session, origin, loggedIn) {
      await executor.change(INSERT, [...valuesOf(session, origin), loggedIn ?? null]).catch(asMissing(executor));
    },
    begin: (session, { key, passwordHash }, origin) =>
      changesOne(executor, BEGIN(executor), [...valuesOf(session, origin), key, passwordHash]),
    async find(id) {
      const row = await executor.readOne<SessionUserRow>(FIND, [id]);
      if (row === null) return null;
      return { session: toSession(row), user: toUser(row), guest: row.guest_seen !== null };
    },
    touch: (id, at) => changesOne(executor, TOUCH, [id, at]),
    async loggedIn(id) {
      return (await executor.readOne<{ at: number }>(LOGGED_IN, [id]))?.at ?? null;
    },
    setDevice: (id, deviceId) => changesOne(executor, SET_DEVICE, [id, deviceId]),
    async remove(id) {
      const [row] = await executor.write<SessionRow>(REMOVE, [id]);
      return row === undefined ? null : toSession(row);
    },
    async removeOfUser(userId, except) {
      const rows = await executor.write<{ id: string }>(REMOVE_OF_USER, [userId, except ?? '']);
      return rows.map(({ id }) => id);
    },
    async list(userId, limit) {
      const rows = await executor.read<ListedSessionRow>(LIST, [userId, limit]);
      return rows.map(({ network, agent, factor, guest_session, ...row }) => ({
        ...toSession(row),
        network,
        agent,
        factor,
        guest: guest_session !== null,
      }));
    },
    async surplus(userId, kept, most) {
      return (await executor.read<SessionRow>(SURPLUS, [userId, kept, most - 1])).map(toSession);
    },
    removeUnused: (moment, limit) => executor.change(REMOVE_UNUSED, [moment, limit]),
  };
}
