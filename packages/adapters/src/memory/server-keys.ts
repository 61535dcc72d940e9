import { AppError, type ServerKeyStore, type ServerKeyWithOwner } from '@baobab/core';
import { requireUser } from './small-stores.ts';
import type { ServerKeyRow, State } from './state.ts';

/** Removes the keys with `entry` in an index. */
export function removeServerKeys(state: State, index: 'owner' | 'role', entry: string): void {
  for (const { id } of state.serverKeys.where(index, entry)) state.serverKeys.delete(id);
}

export function createServerKeyStore(state: State): ServerKeyStore {
  const toKey = ({ digest: _digest, ...key }: ServerKeyRow) => key;

  function withOwner(row: ServerKeyRow | undefined): ServerKeyWithOwner | null {
    const owner = row === undefined ? undefined : state.users.get(row.ownerId);
    if (row === undefined || owner === undefined) return null;
    const { id, name, role, status } = owner;
    return { ...toKey(row), owner: { id, name, role, status } };
  }

  return {
    async add(key, most) {
      if (state.serverKeys.values().length >= most) return false;
      requireUser(state, key.ownerId);
      if (state.roles.get(key.role.toLowerCase())?.name !== key.role) throw new AppError('role.not_found');
      state.serverKeys.set({ ...key, lastUsed: null });
      return true;
    },
    async find(id) {
      return withOwner(state.serverKeys.get(id));
    },
    async findByDigest(digest) {
      return withOwner(state.serverKeys.where('digest', digest)[0]);
    },
    async list() {
      return state.serverKeys.values().flatMap((row) => withOwner(row) ?? []);
    },
    async touch({ id, at, since }) {
      const row = state.serverKeys.get(id);
      if (row !== undefined && (row.lastUsed ?? 0) <= since) state.serverKeys.set({ ...row, lastUsed: at });
    },
    async remove(id) {
      const row = state.serverKeys.get(id);
      state.serverKeys.delete(id);
      return row === undefined ? null : toKey(row);
    },
  };
}
