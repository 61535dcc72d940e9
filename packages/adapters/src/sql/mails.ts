import type { ClaimedMail, MailStore, WaitingMail } from '@baobab/core';
import type { SqlExecutor } from './statements/executor.ts';
import { asMissing, changesOne, withRowLock } from './statements/fragments.ts';

const COLUMNS = `id, user_id as "userId", topic, sealed, created, expires, attempts as "attempt"`;
/**
 * Replaces a mail of the same topic in place. A running attempt at the former mail, which has the former id, no
 * longer counts.
 */
const ADD = `insert into mails (id, user_id, topic, sealed, created, expires, due, attempts)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
  on conflict (topic) do update set id = excluded.id, user_id = excluded.user_id, sealed = excluded.sealed,
    created = excluded.created, expires = excluded.expires, due = excluded.due, attempts = excluded.attempts`;
/** Nodes that claim concurrently skip each other's rows. */
const CLAIM = withRowLock(
  'update skip locked',
  (lock) => `update mails set due = ?2, attempts = attempts + 1
  where id in (select id from mails where due <= ?1 order by due limit ?3${lock})
  returning ${COLUMNS}`,
);
const POSTPONE = 'update mails set due = ?3 where id = ?1 and attempts = ?2';
const REMOVE = 'delete from mails where id = ?1';
const NEXT_DUE = 'select min(due) as due from mails';

export function createMailStore(executor: SqlExecutor): MailStore {
  async function put(mail: WaitingMail, due: number, attempts: number): Promise<void> {
    const { id, userId, topic, sealed, created, expires } = mail;
    await executor.change(ADD, [id, userId, topic, sealed, created, expires, due, attempts]).catch(asMissing(executor));
  }

  return {
    add: (mail) => put(mail, mail.created, 0),
    async addClaimed(mail, until) {
      await put(mail, until, 1);
      return { ...mail, attempt: 1 };
    },
    async claim({ now, until, limit }) {
      return (await executor.write<ClaimedMail>(CLAIM(executor), [now, until, limit])).map((row) => ({ ...row }));
    },
    postpone: ({ id, attempt }, due) => changesOne(executor, POSTPONE, [id, attempt, due]),
    remove: (id) => changesOne(executor, REMOVE, [id]),
    async nextDue() {
      return (await executor.readOne<{ due: number | null }>(NEXT_DUE, []))?.due ?? null;
    },
  };
}
