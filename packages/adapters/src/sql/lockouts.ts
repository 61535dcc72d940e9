import type { LockoutStore } from '@baobab/core';
import type { SqlExecutor } from './executor.ts';

interface GuessRow {
  readonly count: number;
  readonly place: number;
  readonly allowed: number;
  readonly ends: number;
}

/** Number of guesses that count, less the correct ones that no longer do. */
const COUNTED = '(lockouts.counted - case when lockouts.excused_at <= ?2 then lockouts.excused else 0 end)';
/** `allowed` is the place of the last allowed guess. */
const ANNOUNCE = `insert into lockouts (lock_key, counted, place, allowed, ends, excused, excused_at)
  values (?1, 1, 1, 1, ?3, 0, 0)
  on conflict (lock_key) do update set
    counted = case when lockouts.ends <= ?2 then 1 when ${COUNTED} < ?4 then ${COUNTED} + 1 else ${COUNTED} end,
    place = case when lockouts.ends <= ?2 then 1 else lockouts.place + 1 end,
    allowed = case when lockouts.ends <= ?2 then 1
      when ${COUNTED} < ?4 then lockouts.place + 1 else lockouts.allowed end,
    ends = case when lockouts.ends <= ?2 or ${COUNTED} + 1 = ?4 then excluded.ends else lockouts.ends end,
    excused = case when lockouts.ends <= ?2 or lockouts.excused_at <= ?2 then 0 else lockouts.excused end
  returning counted as "count", place, allowed, ends`;
const EXCUSE = `update lockouts set
    counted = case when place = ?2 then counted - 1 when excused_at <= ?3 then counted - excused else counted end,
    excused = case when place = ?2 then excused when excused_at <= ?3 then 1 else excused + 1 end,
    excused_at = case when place = ?2 or excused_at > ?3 then excused_at else ?4 end
  where lock_key = ?1 and ends > ?3 and counted > 0`;
const FORGET = 'delete from lockouts where lock_key = ?1';
const REMOVE_ENDED = `delete from lockouts
  where lock_key in (select lock_key from lockouts where ends <= ?1 limit ?2)`;

export function createLockoutStore(executor: SqlExecutor): LockoutStore {
  return {
    async announce(key, now, { times, window }) {
      const [row] = await executor.write<GuessRow>(ANNOUNCE, [key, now, now + window, times]);
      const { count, place, allowed, ends } = row as GuessRow;
      return { isAllowed: allowed === place, place, count, ends };
    },
    async excuse(key, place, now, later) {
      await executor.change(EXCUSE, [key, place, now, later]);
    },
    async forget(key) {
      await executor.change(FORGET, [key]);
    },
    removeEnded: (now, limit) => executor.change(REMOVE_ENDED, [now, limit]),
  };
}
