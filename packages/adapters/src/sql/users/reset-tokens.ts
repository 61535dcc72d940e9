import type { ResetTokenStore } from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';
import { asMissing } from '../statements/fragments.ts';

interface OwnerRow {
  readonly user_id: string;
}

const PUT = `insert into reset_tokens (user_id, digest, expires) values (?1, ?2, ?3)
  on conflict (user_id) do update set digest = excluded.digest, expires = excluded.expires`;
const FIND = 'select user_id from reset_tokens where digest = ?1 and expires > ?2';
const CONSUME = 'delete from reset_tokens where digest = ?1 and expires > ?2 returning user_id';
const REMOVE_OF_USER = 'delete from reset_tokens where user_id = ?1';

export function createResetTokenStore(executor: SqlExecutor): ResetTokenStore {
  return {
    async put({ digest, userId, expires }) {
      await executor.change(PUT, [userId, digest, expires]).catch(asMissing(executor));
    },
    async find(digest, now) {
      const row = await executor.readOne<OwnerRow>(FIND, [digest, now]);
      return row?.user_id ?? null;
    },
    async consume(digest, now) {
      const [row] = await executor.write<OwnerRow>(CONSUME, [digest, now]);
      return row?.user_id ?? null;
    },
    async removeOfUser(userId) {
      await executor.change(REMOVE_OF_USER, [userId]);
    },
  };
}
