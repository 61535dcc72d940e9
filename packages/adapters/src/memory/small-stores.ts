import {
  type IdempotencyKey,
  type IdempotencyStore,
  type JobStore,
  type LockoutStore,
  lasts,
  type RateLimitStore,
  type SettingStore,
  type StoredAnswer,
} from '@baobab/core';
import type { LockoutRow, State } from './state.ts';
import type { Immediate } from './tables.ts';

export const createSettingStore = ({ settings }: State): Immediate<SettingStore> => ({
  all: settings.all,
  set(setting) {
    const before = settings.get(setting.key)?.value ?? null;
    settings.set(setting);
    return before;
  },
});

export const createRateLimitStore = ({ rateLimits }: State): Immediate<RateLimitStore> => ({
  take(key, now, { times, window }, amount = 1) {
    const before = rateLimits.get(key);
    const running = before !== null && lasts(before.ends, now, window) ? before : { key, count: 0, ends: now + window };
    const taken = running.count < times;
    const count = running.count + (taken ? amount : 0);
    if (taken) rateLimits.set({ ...running, count });
    return { taken, count, ends: running.ends };
  },
  giveBack(key, now) {
    const window = rateLimits.get(key);
    if (window === null || window.ends <= now || window.count === 0) return;
    rateLimits.set({ ...window, count: window.count - 1 });
  },
});

export function createLockoutStore({ lockouts }: State): Immediate<LockoutStore> {
  /** Returns the current window, less the correct guesses that no longer count; an empty one if none is running. */
  function windowOf(key: string, now: number, window: number): LockoutRow {
    const row = lockouts.get(key);
    const ends = now + window;
    if (row === null || !lasts(row.ends, now, window))
      return { key, counted: 0, place: 0, ends, excused: 0, excusedAt: 0 };
    return row.excusedAt <= now ? { ...row, counted: row.counted - row.excused, excused: 0 } : row;
  }

  return {
    announce(key, now, { times, window }) {
      const before = windowOf(key, now, window);
      const isAllowed = before.counted < times;
      const counted = before.counted + (isAllowed ? 1 : 0);
      const ends = isAllowed && counted === times ? now + window : before.ends;
      const place = before.place + 1;
      lockouts.set({ ...before, counted, place, ends });
      return { isAllowed, place, count: counted, ends };
    },
    excuse(key, place, now, later) {
      const row = lockouts.get(key);
      if (row === null || row.ends <= now || row.counted === 0) return;
      if (row.place === place) {
        lockouts.set({ ...row, counted: row.counted - 1 });
        return;
      }
      const current = windowOf(key, now, row.ends - now);
      const excusedAt = row.excusedAt > now ? row.excusedAt : later;
      lockouts.set({ ...current, excused: current.excused + 1, excusedAt });
    },
    forget: (key) => void lockouts.delete(key),
  };
}

export function createIdempotencyStore({ idempotency }: State): Immediate<IdempotencyStore> {
  function find({ userId, digest }: IdempotencyKey, now: number): StoredAnswer | null {
    const row = idempotency.get(userId, digest);
    if (row === null || row.expires <= now) return null;
    return { fingerprint: row.fingerprint, failure: row.failure, data: row.data };
  }

  return {
    claim({ now, ...claim }) {
      const stored = find(claim, now);
      if (stored === null) idempotency.set({ ...claim, failure: null, data: null });
      return stored;
    },
    find,
    keep({ userId, digest }, { failure, data }) {
      const row = idempotency.get(userId, digest);
      if (row !== null) idempotency.set({ ...row, failure, data });
    },
    release: ({ userId, digest }) => void idempotency.delete(userId, digest),
  };
}

export function createJobStore({ jobs }: State): Immediate<JobStore> {
  const isHeld = (name: string, holder: string) => jobs.get(name)?.holder === holder;
  return {
    claim({ name, holder }, now, until, latest = Number.MAX_SAFE_INTEGER) {
      const job = jobs.get(name);
      if (job !== null && job.due > now && job.due <= latest) return false;
      jobs.set({ name, holder, due: until });
      return true;
    },
    plan(name, due) {
      if (!jobs.has(name)) jobs.set({ name, holder: null, due });
    },
    due: (name) => jobs.get(name)?.due ?? null,
    extend: ({ name, holder }, until) => isHeld(name, holder) && jobs.update(name, { due: until }) !== null,
    finish: ({ name, holder }, due) => isHeld(name, holder) && jobs.update(name, { holder: null, due }) !== null,
  };
}
