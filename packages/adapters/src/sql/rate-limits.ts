import type { RateLimitStore, RateWindow } from '@baobab/core';
import type { SqlExecutor } from './executor.ts';

const TAKE = `insert into rate_limits (limit_key, taken, ends) values (?1, ?4, ?3)
  on conflict (limit_key) do update set
    taken = case when rate_limits.ends <= ?2 then excluded.taken else rate_limits.taken + excluded.taken end,
    ends = case when rate_limits.ends <= ?2 then excluded.ends else rate_limits.ends end
  returning taken as "count", ends`;
const GIVE_BACK = 'update rate_limits set taken = taken - 1 where limit_key = ?1 and ends > ?2 and taken > 0';
const REMOVE_ENDED = `delete from rate_limits
  where limit_key in (select limit_key from rate_limits where ends <= ?1 limit ?2)`;

export function createRateLimitStore(executor: SqlExecutor): RateLimitStore {
  return {
    async take(key, now, length, amount = 1) {
      const [window] = await executor.write<RateWindow>(TAKE, [key, now, now + length, amount]);
      return window ?? { count: amount, ends: now + length };
    },
    async giveBack(key, now) {
      await executor.change(GIVE_BACK, [key, now]);
    },
    removeEnded: (now, limit) => executor.change(REMOVE_ENDED, [now, limit]),
  };
}
