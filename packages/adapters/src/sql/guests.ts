import type { UserStore } from '@baobab/core';
import type { SqlExecutor } from './executor.ts';

const MAKE_PERMANENT = [
  'update users set guest_seen = null where id = ?1 and guest_seen is not null',
  'update sessions set guest_session = null where user_id = ?1 and guest_session is not null',
];
const SEEN = 'update users set guest_seen = ?2 where id = ?1 and guest_seen < ?2';
/**
 * Guests with a way to log in are never removed, since a program of an older version may set a password during an
 * upgrade.
 */
const IS_ABSENT = `guest_seen < ?2 and password_hash is null
  and not exists (select 1 from passkeys p where p.user_id = users.id)
  and not exists (select 1 from social_links l where l.user_id = users.id)`;
const ABSENT = `select id from users where ${IS_ABSENT} limit ?1`;
/** Either sees a concurrent change that makes the guest permanent, or makes that change find no row. */
const LOCK_ABSENT = `update users set guest_seen = guest_seen where id = ?1 and ${IS_ABSENT}`;

/** Makes a changed user permanent, together with the change. */
export function makePermanent<Row>(
  executor: SqlExecutor,
  id: string,
  change: (executor: SqlExecutor) => Promise<Row>,
): Promise<Row> {
  return executor.atomic(async (transaction) => {
    for (const statement of MAKE_PERMANENT) await transaction.change(statement, [id]);
    return change(transaction);
  });
}

type GuestMethods = 'seen' | 'absentGuests' | 'lockAbsentGuest';

export function createGuests(executor: SqlExecutor): Pick<UserStore, GuestMethods> {
  return {
    async seen(id, at) {
      await executor.change(SEEN, [id, at]);
    },
    async absentGuests(moment, limit) {
      return (await executor.read<{ id: string }>(ABSENT, [limit, moment])).map(({ id }) => id);
    },
    async lockAbsentGuest(id, moment) {
      return (await executor.change(LOCK_ABSENT, [id, moment])) === 1;
    },
  };
}
