import {
  type IndexedSet,
  type IndexStore,
  isPlain,
  type Path,
  type SearchIndexStore,
  uniqueValues,
} from '@baobab/core';
import { pathsOfText, textOfPaths } from '../index-paths.ts';
import { type DocumentRow, type State, setOf } from './state.ts';
import type { Immediate } from './tables.ts';

/** Returns the unique indexes of a collection. */
const uniqueIn = ({ indexes }: State, collection: string) =>
  indexes.where({ set: setOf({ collection }), isUnique: true }).map(({ path, state }) => {
    return { paths: pathsOfText(path).filter(isPlain), isReady: state === 'ready' };
  });

/** Returns the values of a document as text; undefined if it lacks one of them. */
function valuesAt(paths: Path[], content: string): string | undefined {
  const values = uniqueValues(content, paths);
  return values === null ? undefined : JSON.stringify(values);
}

/** Returns true if no two documents of the collection have the same values. */
function areDistinct(state: State, collection: string, paths: Path[]): boolean {
  const values = state.documents.where({ collection }).flatMap(({ content }) => valuesAt(paths, content) ?? []);
  return new Set(values).size === values.length;
}

/** Returns true if another document of the collection has values of this content in a unique index. */
export function isDuplicate(state: State, { id, collection }: { id: string; collection: string }, content: string) {
  return uniqueIn(state, collection).some(({ paths }) => {
    const values = valuesAt(paths, content);
    if (values === undefined) return false;
    const isSame = (other: DocumentRow) => other.id !== id && valuesAt(paths, other.content) === values;
    return state.documents.where({ collection }).some(isSame);
  });
}

/** Stores declarations only: data in memory is fast enough without indexes. */
export function createIndexStore(state: State): Immediate<IndexStore> {
  const { indexes, collections } = state;
  const exists = (of: IndexedSet) => 'list' in of || collections.has(of.collection);
  return {
    list(of) {
      if (!exists(of)) return null;
      const rows = indexes.where({ set: setOf(of) });
      return rows.map(({ path, state: known, isUnique }) => ({ paths: pathsOfText(path), state: known, isUnique }));
    },
    declare(index, most) {
      if (!exists(index)) return null;
      const [set, path] = [setOf(index), textOfPaths(index.paths)];
      const isUnique = index.isUnique ?? null;
      const known = indexes.get(set, path);
      if (known === null) {
        if (indexes.where({ set }).length >= most) return 'full';
        indexes.set({ set, path, state: 'building', isUnique: isUnique === true });
        return 'declared';
      }
      if (isUnique !== null && 'collection' in index && isUnique !== known.isUnique) {
        indexes.set({ ...known, isUnique, state: isUnique ? 'building' : known.state });
      }
      return 'exists';
    },
    unique() {
      const all = new Map<string, Path[][]>();
      for (const { key } of collections.all()) {
        const ready = uniqueIn(state, key).filter(({ isReady }) => isReady);
        if (ready.length > 0)
          all.set(
            key,
            ready.map(({ paths }) => paths),
          );
      }
      return all;
    },
    remove: (of, paths) => (exists(of) ? indexes.delete(setOf(of), textOfPaths(paths)) : null),
    reconcile() {
      for (const { key, search } of collections.all()) {
        if (search?.state === 'building') collections.update(key, { search: { ...search, state: 'ready' } });
        for (const row of indexes.where({ set: setOf({ collection: key }), state: 'building' })) {
          const paths = pathsOfText(row.path).filter(isPlain);
          indexes.set({ ...row, isUnique: row.isUnique && areDistinct(state, key, paths) });
        }
      }
      indexes.updateAll({ state: 'building' }, { state: 'ready' });
    },
  };
}

/** Stores declarations only: searches read the words from the documents. */
export function createSearchIndexStore({ collections }: State): Immediate<SearchIndexStore> {
  return {
    all: () => new Map(collections.all().flatMap(({ key, search }) => (search === null ? [] : [[key, search]]))),
    find: (collection) => collections.get(collection)?.search ?? null,
    declare(collection, fields) {
      const row = collections.get(collection);
      if (row === null) return null;
      if (row.search !== null && JSON.stringify(row.search.fields) === JSON.stringify(fields)) return row.search;
      const search = { number: (row.search?.number ?? 0) + 1, fields, state: 'building' } as const;
      collections.set({ ...row, search });
      return search;
    },
    remove(collection) {
      const row = collections.get(collection);
      if (row === null || row.search === null) return false;
      collections.set({ ...row, search: null });
      return true;
    },
  };
}
