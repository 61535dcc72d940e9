import type { ChallengeStore, FactorStore } from '@baobab/core';
import { requireUser } from './small-stores.ts';
import { recoveryCodeKey, type State } from './state.ts';

export const hasSecondFactor = (state: State, userId: string) =>
  (state.totpSecrets.get(userId)?.confirmed ?? null) !== null;

/** Removes all second factors of a user. Returns true if two-factor authentication was on. */
export function removeFactors(state: State, userId: string): boolean {
  const wasOn = hasSecondFactor(state, userId);
  for (const { digest } of state.recoveryCodes.where('user', userId)) {
    state.recoveryCodes.delete(recoveryCodeKey(userId, digest));
  }
  state.totpSecrets.delete(userId);
  return wasOn;
}

export function createFactorStore(state: State): FactorStore {
  return {
    async prepare(userId, sealed) {
      requireUser(state, userId);
      if (hasSecondFactor(state, userId)) return false;
      state.totpSecrets.set({ userId, sealed, confirmed: null, lastStep: 0 });
      return true;
    },
    async find(userId) {
      const row = state.totpSecrets.get(userId);
      return row === undefined ? null : { sealed: row.sealed, confirmed: row.confirmed };
    },
    async confirm({ userId, sealed, step, now, recoveryCodes }) {
      const row = state.totpSecrets.get(userId);
      if (row?.sealed !== sealed || row.confirmed !== null) return false;
      state.totpSecrets.set({ userId, sealed, confirmed: now, lastStep: step });
      for (const digest of recoveryCodes) state.recoveryCodes.set({ userId, digest });
      return true;
    },
    async useStep({ userId, sealed, step }) {
      const row = state.totpSecrets.get(userId);
      if (row?.sealed !== sealed || row.confirmed === null || row.lastStep >= step) return false;
      state.totpSecrets.set({ ...row, lastStep: step });
      return true;
    },
    async useRecoveryCode(userId, digest) {
      return state.recoveryCodes.delete(recoveryCodeKey(userId, digest));
    },
    async recoveryCodes(userId) {
      return state.recoveryCodes.where('user', userId).map(({ digest }) => digest);
    },
    async countRecoveryCodes(userId) {
      return state.recoveryCodes.where('user', userId).length;
    },
    async remove(userId) {
      return removeFactors(state, userId);
    },
  };
}

export function createChallengeStore(state: State): ChallengeStore {
  return {
    async add(challenge) {
      requireUser(state, challenge.userId);
      state.challenges.set({ ...challenge, attempts: 0 });
    },
    async attempt(digest, now, most) {
      const row = state.challenges.get(digest);
      if (row === undefined || row.expires <= now || row.attempts >= most) return null;
      const { attempts, ...challenge } = row;
      state.challenges.set({ ...row, attempts: attempts + 1 });
      return challenge;
    },
    async spend(challenge) {
      requireUser(state, challenge.userId);
      if (state.challenges.get(challenge.digest) !== undefined) return false;
      state.challenges.set({ ...challenge, sealed: '', attempts: 0 });
      return true;
    },
    async consume(digest) {
      return state.challenges.delete(digest);
    },
    async removeExpired(now, limit) {
      const expired = state.challenges.values().filter(({ expires }) => expires <= now);
      for (const { digest } of expired.slice(0, limit)) state.challenges.delete(digest);
      return Math.min(expired.length, limit);
    },
  };
}
