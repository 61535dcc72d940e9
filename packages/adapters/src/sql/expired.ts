import { KEPT_MESSAGES_MS, type Storage } from '@baobab/core';
import type { SqlExecutor } from './statements/executor.ts';

/** ?1 time, ?2 limit @param at column with the time from which a row is expired */
const removal = (table: string, key: string, at = 'expires') =>
  `delete from ${table} where (${key}) in (select ${key} from ${table} where ${at} <= ?1 limit ?2)`;

const REMOVALS = [
  removal('former_names', 'name_key'),
  removal('reset_tokens', 'user_id'),
  removal('email_claims', 'user_id'),
  removal('invitation_codes', 'id'),
  removal('removed_members', 'user_id, group_id'),
  removal('login_challenges', 'digest'),
  removal('idempotency_keys', 'user_id, digest'),
  removal('rate_limits', 'limit_key', 'ends'),
  removal('lockouts', 'lock_key', 'ends'),
];
const REMOVE_MESSAGES = removal('push_messages', 'id');

/** Creates `Storage.removeExpired`. */
export const createExpiry =
  (executor: SqlExecutor): Storage['removeExpired'] =>
  async (now, limit) => {
    let removed = await executor.change(REMOVE_MESSAGES, [now - KEPT_MESSAGES_MS - 1, limit]);
    for (const remove of REMOVALS) removed += await executor.change(remove, [now, limit]);
    return removed;
  };
