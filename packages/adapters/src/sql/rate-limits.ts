import type { RateLimitStore } from '@baobab/core';
import type { SqlExecutor } from './executor.ts';

interface WindowRow {
  readonly count: number;
  readonly ends: number;
}

/** Returns no row if the window is full. */
const TAKE = `insert into rate_limits (limit_key, taken, ends) values (?1, ?5, ?3)
  on conflict (limit_key) do update set
    taken = case when rate_limits.ends <= ?2 then excluded.taken else rate_limits.taken + excluded.taken end,
    ends = case when rate_limits.ends <= ?2 then excluded.ends else rate_limits.ends end
    where rate_limits.ends <= ?2 or rate_limits.taken < ?4
  returning taken as "count", ends`;
const READ = 'select taken as "count", ends from rate_limits where limit_key = ?1';
const GIVE_BACK = 'update rate_limits set taken = taken - 1 where limit_key = ?1 and ends > ?2 and taken > 0';
const REMOVE_ENDED = `delete from rate_limits
  where limit_key in (select limit_key from rate_limits where ends <= ?1 limit ?2)`;

export function createRateLimitStore(executor: SqlExecutor): RateLimitStore {
  return {
    async take(key, now, { times, window }, amount = 1) {
      const [taken] = await executor.write<WindowRow>(TAKE, [key, now, now + window, times, amount]);
      if (taken !== undefined) return { taken: true, ...taken };
      const full = await executor.readOne<WindowRow>(READ, [key]);
      // Removed between the two statements, because another request found that it had ended.
      return { taken: false, ...(full ?? { count: times, ends: now }) };
    },
    async giveBack(key, now) {
      await executor.change(GIVE_BACK, [key, now]);
    },
    removeEnded: (now, limit) => executor.change(REMOVE_ENDED, [now, limit]),
  };
}
