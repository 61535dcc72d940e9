import {
  canIndex,
  type IndexedPath,
  type IndexedSet,
  type IndexStore,
  isPlain,
  type Path,
  type StoredIndex,
} from '@baobab/core';
import { pathsOfText, textOfPaths } from '../../index-paths.ts';
import { isSliceOf } from '../../slice-keys.ts';
import { type CriteriaDialect, createParams, RANK, variableParts } from '../criteria/dialect.ts';
import { idText } from '../criteria/document-statement.ts';
import { contentPaths, indexedForm, isIndexable } from '../criteria/index-keys.ts';
import { listIndexColumns, TABLES } from '../criteria/list-fields.ts';
import type { SqlExecutor, SqlValue } from '../statements/executor.ts';
import { withRowLock } from '../statements/fragments.ts';
import { fillSearchIndexes } from './search-indexes.ts';

const NAME = /^[a-z0-9_]{1,60}$/;
/** Prefixes of all index names: of collections, and of other lists. */
const DOCUMENT_PREFIX = 'document_index_';
const LIST_PREFIX = 'list_index_';
/** Of the indexes that enforce uniqueness. The one that serves queries has the same name with `DOCUMENT_PREFIX`. */
export const UNIQUE_PREFIX = 'document_unique_';
export const uniqueName = (name: string) => name.replace(DOCUMENT_PREFIX, UNIQUE_PREFIX);

/** True if an index with this name belongs to a declaration. */
export const isDeclared = (name: string) =>
  [DOCUMENT_PREFIX, UNIQUE_PREFIX, LIST_PREFIX].some((prefix) => name.startsWith(prefix));

/** ?1 collection or list, ?2 paths, ?3 name, ?4 maximum number, ?5 1 if it is unique */
const OF_COLLECTION = {
  list: `select c.id, i.path, i.state, i.is_unique as "isUnique" from collections c left join collection_indexes i on i.collection = c.id
  where c.name_key = ?1`,
  declare: withRowLock(
    'key share of c',
    (
      lock,
    ) => `insert into collection_indexes (collection, path, name, state, is_unique) select c.id, ?2, ?3, 'building', ?5
  from collections c where c.name_key = ?1
  and (select count(*) from collection_indexes i where i.collection = c.id) < ?4${lock} on conflict do nothing`,
  ),
  remove: `delete from collection_indexes where path = ?2
  and collection = (select c.id from collections c where c.name_key = ?1)`,
};
const OF_LIST = {
  list: 'select i.path, i.state, 0 as "isUnique" from list_indexes i where i.list = ?1',
  declare: `insert into list_indexes (list, path, name, state) select ?1, ?2, ?3, 'building'
  where (select count(*) from list_indexes i where i.list = ?1) < ?4 on conflict do nothing`,
  remove: 'delete from list_indexes where list = ?1 and path = ?2',
};
const ALL_OF_COLLECTIONS =
  'select collection, path, name, state, is_unique as "isUnique" from collection_indexes order by name';
const ALL_OF_LISTS = 'select list, path, name, state, 0 as "isUnique" from list_indexes order by name';

/** ?1 collection, ?2 paths, ?3 1 if it is unique */
const SET_UNIQUE = `update collection_indexes set is_unique = ?3, state = case when ?3 = 1 then 'building' else state end
  where path = ?2 and is_unique <> ?3 and collection = (select c.id from collections c where c.name_key = ?1)`;
const NOT_UNIQUE = 'update collection_indexes set is_unique = 0 where name = ?1';
const READY_AND_UNIQUE = `select c.name_key as "key", i.path from collection_indexes i
  join collections c on c.id = i.collection where i.is_unique = 1 and i.state = 'ready' order by i.path`;
const IS_SPREAD = `select 1 as one from collections c join collections s on ${isSliceOf('s.name_key', 'c.name_key')}
  where c.name_key = ?1 limit 1`;

/** Returns the statement that marks an index as ready. @param mark the name of the index, or its parameter */
export const setReady = (name: string, mark: string) =>
  `update ${name.startsWith(LIST_PREFIX) ? 'list_indexes' : 'collection_indexes'} set state = 'ready' where name = ${mark}`;

/** A declaration. `collection` is the id. */
type DeclaredRow = IndexedSet & {
  readonly path: string;
  readonly name: string;
  readonly state: StoredIndex['state'];
  readonly isUnique: number;
};

interface ListedRow {
  readonly path: string | null;
  readonly state: StoredIndex['state'];
  readonly isUnique: number;
}

/** Table and columns of an index. */
export interface IndexDefinition {
  readonly on: string;
  /** Id of the collection whose documents it contains. Null for an index on another list. */
  readonly collection: string | null;
}

/**
 * Returns the part after `on` in the statement that creates an index.
 *
 * @param collections ids of the hidden collections that contain the documents, if a distributed database divides them
 */
export function definitionText({ on, collection }: IndexDefinition, collections: readonly string[] = []): string {
  if (collections.length > 0) return `${on} where collection in (${collections.map(idText).join(', ')})`;
  return collection === null ? on : `${on} where collection = ${idText(collection)}`;
}

/** Creates and drops the declared indexes of a database. */
export interface IndexWork {
  /** Returns the names of the valid indexes that are `isDeclared`. */
  whole(): Promise<readonly string[]>;
  /** Returns the names of all indexes that are `isDeclared`. */
  all(): Promise<readonly string[]>;
  /** Builds a missing or invalid index, and runs `setReady`. */
  build(name: string, definition: IndexDefinition): Promise<void>;
  drop(name: string): Promise<void>;
  /** Builds a missing or invalid unique index. Resolves to false if rows have the same values. */
  buildUnique(name: string, definition: string): Promise<boolean>;
}

export interface IndexBuilder {
  /** Runs `work` while no other build runs, on any node. */
  exclusively(work: (work: IndexWork) => Promise<void>): Promise<void>;
}

export function indexDefinition(
  { criteria }: Pick<SqlExecutor, 'criteria'>,
  of: IndexedSet,
  paths: readonly IndexedPath[],
): IndexDefinition {
  if ('list' in of) {
    const columns = paths.filter(isPlain).flatMap((path) => listIndexColumns(criteria, of.list, path));
    const on = `${TABLES[of.list].name} (${[...columns.map((sql) => `(${sql})`), 'id'].join(', ')})`;
    return { on, collection: null };
  }
  const columns = contentPaths(paths).flatMap((path) => {
    return variableParts(indexedForm(criteria, path, criteria.json('content'))).map((sql) => `(${sql})`);
  });
  return { on: `documents (${[...columns, 'id'].join(', ')})`, collection: of.collection };
}

/**
 * Returns the definition of the index that enforces uniqueness. It compares whole texts, while the other index stores
 * their beginnings. The collection is the distribution column of a distributed database.
 */
export function uniqueDefinition(criteria: CriteriaDialect, collection: string, paths: readonly Path[]): string {
  const columns: string[] = [];
  const conditions = [`collection = ${idText(collection)}`];
  for (const path of contentPaths(paths).filter(isPlain)) {
    const params = createParams(criteria.typed);
    const { rank, num, txt } = criteria.value({ base: criteria.json('content'), steps: path }, params);
    columns.push(`(${rank})`, `(${num})`, `(${criteria.whole(txt)})`);
    conditions.push(`(${rank}) in (${Object.values(RANK).join(', ')})`);
  }
  return `documents (${['collection', ...columns].join(', ')}) where ${conditions.join(' and ')}`;
}

const canBeIn = (of: IndexedSet) => (path: IndexedPath) =>
  'list' in of ? isPlain(path) && canIndex(of.list, path) : isIndexable(path);

export function createIndexStore(executor: SqlExecutor, builder: IndexBuilder): IndexStore {
  /** The last requested work. Each starts when the previous one has ended. */
  let last: Promise<void> = Promise.resolve();

  async function declaredRows(): Promise<DeclaredRow[]> {
    const ofCollections = await executor.read<DeclaredRow>(ALL_OF_COLLECTIONS, []);
    return [...ofCollections, ...(await executor.read<DeclaredRow>(ALL_OF_LISTS, []))];
  }

  async function build(work: IndexWork, row: DeclaredRow, whole: ReadonlySet<string>): Promise<void> {
    const { name, path, state, isUnique } = row;
    const unique = isUnique === 1 && !('list' in row) ? { name: uniqueName(name), collection: row.collection } : null;
    if (state === 'ready' && whole.has(name) && (unique === null || whole.has(unique.name))) return;
    const paths = pathsOfText(path);
    if (unique !== null) {
      const definition = uniqueDefinition(executor.criteria, unique.collection, paths.filter(isPlain));
      if (!(await work.buildUnique(unique.name, definition))) await executor.change(NOT_UNIQUE, [name]);
    }
    await work.build(name, indexDefinition(executor, row, paths));
  }

  async function reconcileNow(work: IndexWork): Promise<void> {
    await executor.criteria.prepare(executor);
    await fillSearchIndexes(executor);
    const whole = new Set(await work.whole());
    for (const row of await declaredRows()) await build(work, row, whole);
    const wanted = new Set(
      (await declaredRows()).flatMap(({ name, isUnique }) => (isUnique === 1 ? [name, uniqueName(name)] : [name])),
    );
    for (const name of await work.all()) if (!wanted.has(name)) await work.drop(name);
  }

  async function list(of: IndexedSet): Promise<StoredIndex[] | null> {
    const rows = await executor.read<ListedRow>(
      'list' in of ? OF_LIST.list : OF_COLLECTION.list,
      'list' in of ? [of.list] : [of.collection],
    );
    if (rows.length === 0) return 'list' in of ? [] : null;
    const declared = rows.flatMap(({ path, ...row }) => (path === null ? [] : [{ path, ...row }]));
    // Not sorted by the database, because its collation may differ.
    declared.sort((a, b) => (a.path < b.path ? -1 : 1));
    return declared.map(({ path, state, isUnique }) => ({
      paths: pathsOfText(path),
      state,
      isUnique: isUnique === 1,
    }));
  }

  async function declareOn(of: IndexedSet, paths: readonly IndexedPath[], [statement, values]: [string, SqlValue[]]) {
    if ((await executor.change(statement, values)) === 1) return 'declared';
    const indexes = await list(of);
    if (indexes === null) return null;
    const text = textOfPaths(paths);
    return indexes.some((index) => textOfPaths(index.paths) === text) ? 'exists' : 'full';
  }

  return {
    list,
    async unique() {
      const all = new Map<string, (readonly Path[])[]>();
      for (const { key, path } of await executor.read<{ key: string; path: string }>(READY_AND_UNIQUE, [])) {
        all.set(key, [...(all.get(key) ?? []), pathsOfText(path).filter(isPlain)]);
      }
      return all;
    },
    async declare({ paths, name, isUnique = null, ...of }, most) {
      if (!NAME.test(name) || !paths.every(canBeIn(of))) throw new Error('invalid name or path of an index');
      if ('list' in of)
        return declareOn(of, paths, [OF_LIST.declare, [of.list, textOfPaths(paths), LIST_PREFIX + name, most]]);
      const { collection } = of;
      if (isUnique === true && (await executor.readOne(IS_SPREAD, [collection])) !== null) return 'spread';
      const text = textOfPaths(paths);
      const values = [collection, text, DOCUMENT_PREFIX + name, most, Number(isUnique === true)];
      const result = await declareOn(of, paths, [OF_COLLECTION.declare(executor), values]);
      if (result === 'exists' && isUnique !== null) {
        await executor.change(SET_UNIQUE, [collection, text, Number(isUnique)]);
      }
      return result;
    },
    async remove(of, paths) {
      const [statement, key] = 'list' in of ? [OF_LIST.remove, of.list] : [OF_COLLECTION.remove, of.collection];
      if ((await executor.change(statement, [key, textOfPaths(paths)])) === 1) return true;
      return (await list(of)) === null ? null : false;
    },
    reconcile() {
      const next = last.then(() => builder.exclusively(reconcileNow));
      last = next.catch(() => undefined);
      return next;
    },
  };
}
