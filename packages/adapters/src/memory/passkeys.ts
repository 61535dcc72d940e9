import type { Passkey, PasskeyStore } from '@baobab/core';
import { requireUser } from './small-stores.ts';
import type { State } from './state.ts';

/** Returns the number of removed passkeys. */
export function removePasskeys(state: State, userId: string): number {
  const passkeys = state.passkeys.where('user', userId);
  for (const { id } of passkeys) state.passkeys.delete(id);
  return passkeys.length;
}

const copyOf = (passkey: Passkey): Passkey => ({ ...passkey, transports: [...passkey.transports] });

export function createPasskeyStore(state: State): PasskeyStore {
  const byCredential = (credential: string) => state.passkeys.where('credential', credential)[0];

  function owned(userId: string, id: string): Passkey | null {
    const passkey = state.passkeys.get(id);
    return passkey?.userId === userId ? passkey : null;
  }

  return {
    async add(passkey) {
      requireUser(state, passkey.userId);
      if (byCredential(passkey.credential) !== undefined) return false;
      state.passkeys.set(copyOf({ ...passkey, lastUsed: null }));
      return true;
    },
    async find(credential) {
      const passkey = byCredential(credential);
      return passkey === undefined ? null : copyOf(passkey);
    },
    async list(userId) {
      const passkeys = state.passkeys.where('user', userId);
      return passkeys.sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1)).map(copyOf);
    },
    async use({ id, counter, at }) {
      const passkey = state.passkeys.get(id);
      if (passkey === undefined) return false;
      const isNewer = counter > passkey.counter || (counter === 0 && passkey.counter === 0);
      if (!isNewer) return false;
      state.passkeys.set({ ...passkey, counter, lastUsed: Math.max(at, passkey.lastUsed ?? 0) });
      return true;
    },
    async rename(userId, id, name) {
      const passkey = owned(userId, id);
      if (passkey !== null) state.passkeys.set({ ...passkey, name });
      return passkey !== null;
    },
    async remove(userId, id) {
      return owned(userId, id) !== null && state.passkeys.delete(id);
    },
    async removeOfUser(userId) {
      return removePasskeys(state, userId);
    },
  };
}
