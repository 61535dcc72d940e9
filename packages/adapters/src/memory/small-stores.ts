import {
  AppError,
  type IdempotencyKey,
  type IdempotencyStore,
  type JobStore,
  type RateLimitStore,
  type ResetTokenStore,
  type SettingStore,
  type StoredAnswer,
} from '@baobab/core';
import { idempotencyKey, type State } from './state.ts';

export function requireUser(state: State, id: string): void {
  if (state.users.get(id) === undefined) throw new AppError('user.not_found');
}

export function createSettingStore(state: State): SettingStore {
  return {
    async all() {
      return state.settings.values().map((setting) => ({ ...setting }));
    },
    async set(setting) {
      const before = state.settings.get(setting.key)?.value ?? null;
      state.settings.set({ ...setting });
      return before;
    },
  };
}

export function createResetTokenStore(state: State): ResetTokenStore {
  const current = (digest: string, now: number) => {
    const [token] = state.resetTokens.where('digest', digest);
    return token !== undefined && token.expires > now ? token : null;
  };
  return {
    async put(token) {
      requireUser(state, token.userId);
      state.resetTokens.set({ ...token });
    },
    async find(digest, now) {
      return current(digest, now)?.userId ?? null;
    },
    async consume(digest, now) {
      const token = current(digest, now);
      if (token !== null) state.resetTokens.delete(token.userId);
      return token?.userId ?? null;
    },
    async removeOfUser(userId) {
      state.resetTokens.delete(userId);
    },
    async removeExpired(now, limit) {
      const expired = state.resetTokens.values().filter(({ expires }) => expires <= now);
      for (const { userId } of expired.slice(0, limit)) state.resetTokens.delete(userId);
      return Math.min(expired.length, limit);
    },
  };
}

export function createRateLimitStore(state: State): RateLimitStore {
  return {
    async take(key, now, { times, window }, amount = 1) {
      const before = state.rateLimits.get(key);
      const running = before !== undefined && before.ends > now ? before : { key, count: 0, ends: now + window };
      const taken = running.count < times;
      const count = running.count + (taken ? amount : 0);
      if (taken) state.rateLimits.set({ ...running, count });
      return { taken, count, ends: running.ends };
    },
    async giveBack(key, now) {
      const window = state.rateLimits.get(key);
      if (window === undefined || window.ends <= now || window.count === 0) return;
      state.rateLimits.set({ ...window, count: window.count - 1 });
    },
    async removeEnded(now, limit) {
      const ended = state.rateLimits.values().filter(({ ends }) => ends <= now);
      for (const { key } of ended.slice(0, limit)) state.rateLimits.delete(key);
      return Math.min(ended.length, limit);
    },
  };
}

export function createIdempotencyStore(state: State): IdempotencyStore {
  function current(key: IdempotencyKey, now: number): StoredAnswer | null {
    const kept = state.idempotency.get(idempotencyKey(key));
    if (kept === undefined || kept.expires <= now) return null;
    return { fingerprint: kept.fingerprint, failure: kept.failure, data: kept.data };
  }

  return {
    async claim({ now, ...claim }) {
      const kept = current(claim, now);
      if (kept !== null) return kept;
      requireUser(state, claim.userId);
      state.idempotency.set({ ...claim, failure: null, data: null });
      return null;
    },
    async find(key, now) {
      return current(key, now);
    },
    async keep(key, { failure, data }) {
      const row = state.idempotency.get(idempotencyKey(key));
      if (row !== undefined) state.idempotency.set({ ...row, failure, data });
    },
    async release(key) {
      state.idempotency.delete(idempotencyKey(key));
    },
    async removeExpired(now, limit) {
      const expired = state.idempotency.values().filter(({ expires }) => expires <= now);
      for (const row of expired.slice(0, limit)) state.idempotency.delete(idempotencyKey(row));
      return Math.min(expired.length, limit);
    },
  };
}

export function createJobStore(state: State): JobStore {
  return {
    async claim({ name, holder }, now, until) {
      const job = state.jobs.get(name);
      if (job !== undefined && job.due > now) return false;
      state.jobs.set({ name, holder, due: until });
      return true;
    },
    async finish({ name, holder }, due) {
      if (state.jobs.get(name)?.holder !== holder) return false;
      state.jobs.set({ name, holder: null, due });
      return true;
    },
  };
}
