import type { IndexStore } from '@baobab/core';
import { indexKey, type State } from './state.ts';

/** Stores declarations only: everything is in memory, and fast enough without indexes. */
export function createIndexStore(state: State): IndexStore {
  const isThere = (collection: string) => state.collections.get(collection) !== undefined;
  return {
    async list(collection) {
      if (!isThere(collection)) return null;
      const rows = state.indexes.where('collection', collection);
      return rows.map(({ path, state: known }) => ({ path: JSON.parse(path), state: known }));
    },
    async declare({ collection, path }, most) {
      if (!isThere(collection)) return null;
      const text = JSON.stringify(path);
      if (state.indexes.get(indexKey(collection, text)) !== undefined) return 'exists';
      if (state.indexes.where('collection', collection).length >= most) return 'full';
      state.indexes.set({ collection, path: text, state: 'building' });
      return 'declared';
    },
    async remove(collection, path) {
      return isThere(collection) ? state.indexes.delete(indexKey(collection, JSON.stringify(path))) : null;
    },
    async reconcile() {
      for (const row of state.indexes.values()) {
        if (row.state === 'building') state.indexes.set({ ...row, state: 'ready' });
      }
    },
  };
}
