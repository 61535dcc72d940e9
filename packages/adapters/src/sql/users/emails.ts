import type { EmailClaim, EmailStore } from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';
import { asMissing, changesOne } from '../statements/fragments.ts';
import { onCopies } from '../statements/statement.ts';

const CLAIMED = 'user_id as "userId", email, code, token, expires';
const CLAIM = `insert into email_claims (user_id, email, code, token, attempts, expires) values (?1, ?2, ?3, ?4, 0, ?5)
  on conflict (user_id) do update set email = excluded.email, code = excluded.code, token = excluded.token,
    attempts = 0, expires = excluded.expires`;
const ATTEMPT = `update email_claims set attempts = attempts + 1
  where user_id = ?1 and expires > ?2 and attempts < ?3 returning ${CLAIMED}`;
const FIND = `select ${CLAIMED} from email_claims where token = ?1 and expires > ?2`;
const CONSUME = 'delete from email_claims where token = ?1 and expires > ?2';
const FREE = 'delete from verified_emails where user_id = ?1 and email_key <> ?2';
/** Waits for a concurrent transaction that takes the address. */
const TAKE = 'insert into verified_emails (email_key, user_id) values (?2, ?1) on conflict do nothing';
const OWNER = 'select user_id as "userId" from verified_emails where email_key = ?1';
const MARK = onCopies('update users set email_verified = ?2, email_awaited = null where id = ?1');
const UNMARK = onCopies('update users set email_verified = null, email_changed = ?2 where id = ?1');
const CHANGED = 'select email_changed as at from users where id = ?1';
const WITHDRAW = 'delete from email_claims where user_id = ?1';
const WAIVE = onCopies('update users set email_awaited = null where id = ?1');
const RELEASE = 'delete from verified_emails where user_id = ?1';

export function createEmailStore(executor: SqlExecutor): EmailStore {
  const ownerOf = async (key: string, from: SqlExecutor = executor) =>
    (await from.readOne<{ userId: string }>(OWNER, [key]))?.userId ?? null;

  return {
    async claim({ userId, email, code, token, expires }) {
      await executor.change(CLAIM, [userId, email, code, token, expires]).catch(asMissing(executor));
    },
    async attempt(userId, now, most) {
      const [claim] = await executor.write<EmailClaim>(ATTEMPT, [userId, now, most]);
      return claim === undefined ? null : { ...claim };
    },
    find: (token, now) => executor.readOne<EmailClaim>(FIND, [token, now]),
    consume: (token, now) => changesOne(executor, CONSUME, [token, now]),
    verify: (userId, key, now) =>
      executor.atomic(async (transaction) => {
        await transaction.change(TAKE, [userId, key]);
        if ((await ownerOf(key, transaction)) !== userId) return false;
        await transaction.change(FREE, [userId, key]);
        await transaction.change(MARK, [userId, now]);
        return true;
      }),
    async waive(userId) {
      await executor.change(WAIVE, [userId]);
    },
    release: (userId, at) =>
      executor.atomic(async (transaction) => {
        await transaction.change(RELEASE, [userId]);
        await transaction.change(UNMARK, [userId, at]);
      }),
    async changed(userId) {
      return (await executor.readOne<{ at: number | null }>(CHANGED, [userId]))?.at ?? null;
    },
    async withdraw(userId) {
      await executor.change(WITHDRAW, [userId]);
    },
    ownerOf: (key) => ownerOf(key),
  };
}
