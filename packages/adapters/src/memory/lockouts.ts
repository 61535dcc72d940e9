import type { LockoutStore } from '@baobab/core';
import type { LockoutRow, State } from './state.ts';

export function createLockoutStore(state: State): LockoutStore {
  /** Returns the current window, less the correct guesses that no longer count; an empty one if none is running. */
  function windowOf(key: string, now: number, ends: number): LockoutRow {
    const row = state.lockouts.get(key);
    if (row === undefined || row.ends <= now) return { key, counted: 0, place: 0, ends, excused: 0, excusedAt: 0 };
    return row.excusedAt <= now ? { ...row, counted: row.counted - row.excused, excused: 0 } : row;
  }

  return {
    async announce(key, now, { times, window }) {
      const before = windowOf(key, now, now + window);
      const isAllowed = before.counted < times;
      const counted = before.counted + (isAllowed ? 1 : 0);
      const ends = isAllowed && counted === times ? now + window : before.ends;
      const place = before.place + 1;
      state.lockouts.set({ ...before, counted, place, ends });
      return { isAllowed, place, count: counted, ends };
    },
    async excuse(key, place, now, later) {
      const row = state.lockouts.get(key);
      if (row === undefined || row.ends <= now || row.counted === 0) return;
      if (row.place === place) {
        state.lockouts.set({ ...row, counted: row.counted - 1 });
        return;
      }
      const current = windowOf(key, now, row.ends);
      const excusedAt = row.excusedAt > now ? row.excusedAt : later;
      state.lockouts.set({ ...current, excused: current.excused + 1, excusedAt });
    },
    async forget(key) {
      state.lockouts.delete(key);
    },
    async removeEnded(now, limit) {
      const ended = state.lockouts.values().filter(({ ends }) => ends <= now);
      for (const { key } of ended.slice(0, limit)) state.lockouts.delete(key);
      return Math.min(ended.length, limit);
    },
  };
}
