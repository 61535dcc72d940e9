import type { EmailStore } from '@baobab/core';
import type { EmailClaimRow } from './mail-rows.ts';
import { requireUser } from './small-stores.ts';
import type { State, UserRow } from './state.ts';

/** Removes the claim and the verified address of a user. */
export function removeEmails(state: State, userId: string): void {
  state.emailClaims.delete(userId);
  for (const { key } of state.verifiedEmails.where('user', userId)) state.verifiedEmails.delete(key);
}

export function createEmailStore(state: State): EmailStore {
  const toClaim = ({ attempts: _attempts, ...claim }: EmailClaimRow) => claim;
  const behind = (token: string, now: number) =>
    state.emailClaims.where('token', token).find(({ expires }) => expires > now);

  function mark(userId: string, marks: Partial<Pick<UserRow, 'emailVerified' | 'awaitsEmail' | 'emailChanged'>>): void {
    const user = state.users.get(userId);
    if (user !== undefined) state.users.set({ ...user, ...marks });
  }

  return {
    async claim(claim) {
      requireUser(state, claim.userId);
      state.emailClaims.set({ ...claim, attempts: 0 });
    },
    async attempt(userId, now, most) {
      const row = state.emailClaims.get(userId);
      if (row === undefined || row.expires <= now || row.attempts >= most) return null;
      state.emailClaims.set({ ...row, attempts: row.attempts + 1 });
      return toClaim(row);
    },
    async find(token, now) {
      const row = behind(token, now);
      return row === undefined ? null : toClaim(row);
    },
    async consume(token, now) {
      const row = behind(token, now);
      return row !== undefined && state.emailClaims.delete(row.userId);
    },
    async verify(userId, key) {
      const owner = state.verifiedEmails.get(key)?.userId ?? userId;
      if (owner !== userId) return false;
      for (const former of state.verifiedEmails.where('user', userId)) state.verifiedEmails.delete(former.key);
      state.verifiedEmails.set({ key, userId });
      mark(userId, { emailVerified: true, awaitsEmail: false });
      return true;
    },
    async waive(userId) {
      mark(userId, { awaitsEmail: false });
    },
    async release(userId, at) {
      for (const { key } of state.verifiedEmails.where('user', userId)) state.verifiedEmails.delete(key);
      mark(userId, { emailVerified: false, emailChanged: at });
    },
    async changed(userId) {
      return state.users.get(userId)?.emailChanged ?? null;
    },
    async withdraw(userId) {
      state.emailClaims.delete(userId);
    },
    async ownerOf(key) {
      return state.verifiedEmails.get(key)?.userId ?? null;
    },
    async removeExpired(now, limit) {
      const expired = state.emailClaims.values().filter(({ expires }) => expires <= now);
      for (const { userId } of expired.slice(0, limit)) state.emailClaims.delete(userId);
      return Math.min(expired.length, limit);
    },
  };
}
