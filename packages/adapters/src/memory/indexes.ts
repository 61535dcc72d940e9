import type { IndexedSet, IndexStore } from '@baobab/core';
import { pathsOfText, textOfPaths } from '../index-paths.ts';
import { indexKey, type State, setOf } from './state.ts';

/** Stores declarations only: data in memory is fast enough without indexes. */
export function createIndexStore(state: State): IndexStore {
  const isThere = (of: IndexedSet) => 'list' in of || state.collections.get(of.collection) !== undefined;
  return {
    async list(of) {
      if (!isThere(of)) return null;
      const rows = state.indexes.where('set', setOf(of));
      return rows.map(({ path, state: known }) => ({ paths: pathsOfText(path), state: known }));
    },
    async declare(index, most) {
      if (!isThere(index)) return null;
      const [set, text] = [setOf(index), textOfPaths(index.paths)];
      if (state.indexes.get(indexKey(set, text)) !== undefined) return 'exists';
      if (state.indexes.where('set', set).length >= most) return 'full';
      state.indexes.set({ set, path: text, state: 'building' });
      return 'declared';
    },
    async remove(of, paths) {
      return isThere(of) ? state.indexes.delete(indexKey(setOf(of), textOfPaths(paths))) : null;
    },
    async reconcile() {
      for (const row of state.indexes.values()) {
        if (row.state === 'building') state.indexes.set({ ...row, state: 'ready' });
      }
    },
  };
}
