import { type LockoutStore, latestEnd, type RateLimitStore } from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';

interface WindowRow {
  readonly count: number;
  readonly ends: number;
}

/** True if a window has ended, or began while the clock was fast. @param latest placeholder of the latest possible end */
const ended = (table: string, latest: string) => `(${table}.ends <= ?2 or ${table}.ends > ${latest})`;
const WINDOW_ENDED = ended('rate_limits', '?6');
/** Returns no row if the window is full. */
const TAKE = `insert into rate_limits (limit_key, taken, ends) values (?1, ?5, ?3)
  on conflict (limit_key) do update set
    taken = case when ${WINDOW_ENDED} then excluded.taken else rate_limits.taken + excluded.taken end,
    ends = case when ${WINDOW_ENDED} then excluded.ends else rate_limits.ends end
    where ${WINDOW_ENDED} or rate_limits.taken < ?4
  returning taken as "count", ends`;
const READ = 'select taken as "count", ends from rate_limits where limit_key = ?1';
const GIVE_BACK = 'update rate_limits set taken = taken - 1 where limit_key = ?1 and ends > ?2 and taken > 0';

export function createRateLimitStore(executor: SqlExecutor): RateLimitStore {
  return {
    async take(key, now, { times, window }, amount = 1) {
      const [taken] = await executor.write<WindowRow>(TAKE, [
        key,
        now,
        now + window,
        times,
        amount,
        latestEnd(now, window),
      ]);
      if (taken !== undefined) return { taken: true, ...taken };
      const full = await executor.readOne<WindowRow>(READ, [key]);
      // Removed between the two statements, because another request found that it had ended.
      return { taken: false, ...(full ?? { count: times, ends: now }) };
    },
    async giveBack(key, now) {
      await executor.change(GIVE_BACK, [key, now]);
    },
  };
}

interface GuessRow {
  readonly count: number;
  readonly place: number;
  readonly allowed: number;
  readonly ends: number;
}

const LOCKOUT_ENDED = ended('lockouts', '?5');
/** Number of guesses that count, less the correct ones that no longer do. */
const COUNTED = '(lockouts.counted - case when lockouts.excused_at <= ?2 then lockouts.excused else 0 end)';
/** `allowed` is the place of the last allowed guess. */
const ANNOUNCE = `insert into lockouts (lock_key, counted, place, allowed, ends, excused, excused_at)
  values (?1, 1, 1, 1, ?3, 0, 0)
  on conflict (lock_key) do update set
    counted = case when ${LOCKOUT_ENDED} then 1 when ${COUNTED} < ?4 then ${COUNTED} + 1 else ${COUNTED} end,
    place = case when ${LOCKOUT_ENDED} then 1 else lockouts.place + 1 end,
    allowed = case when ${LOCKOUT_ENDED} then 1
      when ${COUNTED} < ?4 then lockouts.place + 1 else lockouts.allowed end,
    ends = case when ${LOCKOUT_ENDED} or ${COUNTED} + 1 = ?4 then excluded.ends else lockouts.ends end,
    excused = case when ${LOCKOUT_ENDED} or lockouts.excused_at <= ?2 then 0 else lockouts.excused end
  returning counted as "count", place, allowed, ends`;
const EXCUSE = `update lockouts set
    counted = case when place = ?2 then counted - 1 when excused_at <= ?3 then counted - excused else counted end,
    excused = case when place = ?2 then excused when excused_at <= ?3 then 1 else excused + 1 end,
    excused_at = case when place = ?2 or excused_at > ?3 then excused_at else ?4 end
  where lock_key = ?1 and ends > ?3 and counted > 0`;
const FORGET = 'delete from lockouts where lock_key = ?1';

export function createLockoutStore(executor: SqlExecutor): LockoutStore {
  return {
    async announce(key, now, { times, window }) {
      const [row] = await executor.write<GuessRow>(ANNOUNCE, [key, now, now + window, times, latestEnd(now, window)]);
      const { count, place, allowed, ends } = row as GuessRow;
      return { isAllowed: allowed === place, place, count, ends };
    },
    async excuse(key, place, now, later) {
      await executor.change(EXCUSE, [key, place, now, later]);
    },
    async forget(key) {
      await executor.change(FORGET, [key]);
    },
  };
}
