import type { IdempotencyStore, StoredAnswer } from '@baobab/core';
import type { SqlExecutor } from './statements/executor.ts';
import { asMissing } from './statements/fragments.ts';

/** Replaces an expired key. Waits for a concurrent insert of the same key. */
const CLAIM = `insert into idempotency_keys (user_id, digest, fingerprint, expires) values (?1, ?2, ?3, ?5)
  on conflict (user_id, digest) do update
    set fingerprint = excluded.fingerprint, expires = excluded.expires, failure = null, data = null
  where idempotency_keys.expires <= ?4`;
const FIND = 'select fingerprint, failure, data from idempotency_keys where user_id = ?1 and digest = ?2';
const FIND_CURRENT = `${FIND} and expires > ?3`;
const KEEP = 'update idempotency_keys set failure = ?3, data = ?4 where user_id = ?1 and digest = ?2';
const RELEASE = 'delete from idempotency_keys where user_id = ?1 and digest = ?2';

export function createIdempotencyStore(executor: SqlExecutor): IdempotencyStore {
  return {
    async claim({ userId, digest, fingerprint, now, expires }) {
      const values = [userId, digest, fingerprint, now, expires];
      if ((await executor.change(CLAIM, values).catch(asMissing(executor))) === 1) return null;
      return executor.readOne<StoredAnswer>(FIND, [userId, digest]);
    },
    async find({ userId, digest }, now) {
      return executor.readOne<StoredAnswer>(FIND_CURRENT, [userId, digest, now]);
    },
    async keep({ userId, digest }, { failure, data }) {
      await executor.change(KEEP, [userId, digest, failure, data]);
    },
    async release({ userId, digest }) {
      await executor.change(RELEASE, [userId, digest]);
    },
  };
}
