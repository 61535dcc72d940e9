import { canIndex, type IndexedSet, type IndexStore, type Path, type StoredIndex } from '@baobab/core';
import { pathsOfText, textOfPaths } from '../index-paths.ts';
import { idText } from './criteria/document-statement.ts';
import { contentPaths, indexedForm, isIndexable } from './criteria/index-keys.ts';
import { listIndexColumns, TABLES } from './criteria/list-fields.ts';
import type { SqlExecutor, SqlValue } from './executor.ts';
import { withRowLock } from './row-lock.ts';

const NAME = /^[a-z0-9_]{1,60}$/;
/** Prefixes of all index names: of collections, and of other lists. */
const DOCUMENT_PREFIX = 'document_index_';
const LIST_PREFIX = 'list_index_';

/** True if an index with this name belongs to a declaration. */
export const isDeclared = (name: string) => name.startsWith(DOCUMENT_PREFIX) || name.startsWith(LIST_PREFIX);

/** ?1 collection or list, ?2 paths, ?3 name, ?4 maximum number */
const OF_COLLECTION = {
  list: `select c.id, i.path, i.state from collections c left join collection_indexes i on i.collection = c.id
  where c.name_key = ?1`,
  declare: withRowLock(
    'key share of c',
    (lock) => `insert into collection_indexes (collection, path, name, state) select c.id, ?2, ?3, 'building'
  from collections c where c.name_key = ?1
  and (select count(*) from collection_indexes i where i.collection = c.id) < ?4${lock} on conflict do nothing`,
  ),
  remove: `delete from collection_indexes where path = ?2
  and collection = (select c.id from collections c where c.name_key = ?1)`,
};
const OF_LIST = {
  list: 'select i.path, i.state from list_indexes i where i.list = ?1',
  declare: `insert into list_indexes (list, path, name, state) select ?1, ?2, ?3, 'building'
  where (select count(*) from list_indexes i where i.list = ?1) < ?4 on conflict do nothing`,
  remove: 'delete from list_indexes where list = ?1 and path = ?2',
};
const ALL_OF_COLLECTIONS = 'select collection, path, name, state from collection_indexes order by name';
const ALL_OF_LISTS = 'select list, path, name, state from list_indexes order by name';

/** Returns the statement that marks an index as ready. @param mark the name of the index, or its parameter */
export const setReady = (name: string, mark: string) =>
  `update ${name.startsWith(LIST_PREFIX) ? 'list_indexes' : 'collection_indexes'} set state = 'ready' where name = ${mark}`;

/** A declaration. `collection` is the id. */
type DeclaredRow = IndexedSet & {
  readonly path: string;
  readonly name: string;
  readonly state: StoredIndex['state'];
};

interface ListedRow {
  readonly path: string | null;
  readonly state: StoredIndex['state'];
}

/** Creates and drops the declared indexes of a database. */
export interface IndexWork {
  /** Returns the names of the valid indexes that are `isDeclared`. */
  whole(): Promise<readonly string[]>;
  /** Returns the names of all indexes that are `isDeclared`. */
  all(): Promise<readonly string[]>;
  /** Builds a missing or invalid index, and runs `setReady`. */
  build(name: string, definition: string): Promise<void>;
  drop(name: string): Promise<void>;
}

export interface IndexBuilder {
  /** Runs `work` while no other build runs, on any node. */
  exclusively(work: (work: IndexWork) => Promise<void>): Promise<void>;
}

/** Returns the part after `on` in the statement that creates an index. */
function indexDefinition({ criteria }: SqlExecutor, of: IndexedSet, paths: readonly Path[]): string {
  if ('list' in of) {
    const columns = paths.flatMap((path) => listIndexColumns(criteria, of.list, path));
    return `${TABLES[of.list].name} (${[...columns.map((sql) => `(${sql})`), 'id'].join(', ')})`;
  }
  const columns = contentPaths(paths).flatMap((path) => {
    const { rank, num, txt } = indexedForm(criteria, path, criteria.json('content'));
    return [`(${rank})`, `(${num})`, `(${txt})`];
  });
  return `documents (${[...columns, 'id'].join(', ')}) where collection = ${idText(of.collection)}`;
}

const canBeIn = (of: IndexedSet) => (path: Path) => ('list' in of ? canIndex(of.list, path) : isIndexable(path));

export function createIndexStore(executor: SqlExecutor, builder: IndexBuilder): IndexStore {
  /** The last requested work. Each starts when the previous one has ended. */
  let last: Promise<void> = Promise.resolve();

  async function declaredRows(): Promise<DeclaredRow[]> {
    const ofCollections = await executor.read<DeclaredRow>(ALL_OF_COLLECTIONS, []);
    return [...ofCollections, ...(await executor.read<DeclaredRow>(ALL_OF_LISTS, []))];
  }

  async function reconcileNow(work: IndexWork): Promise<void> {
    const whole = new Set(await work.whole());
    for (const row of await declaredRows()) {
      if (row.state === 'ready' && whole.has(row.name)) continue;
      await work.build(row.name, indexDefinition(executor, row, pathsOfText(row.path)));
    }
    const wanted = new Set((await declaredRows()).map(({ name }) => name));
    for (const name of await work.all()) if (!wanted.has(name)) await work.drop(name);
  }

  async function list(of: IndexedSet): Promise<StoredIndex[] | null> {
    const rows = await executor.read<ListedRow>(
      'list' in of ? OF_LIST.list : OF_COLLECTION.list,
      'list' in of ? [of.list] : [of.collection],
    );
    if (rows.length === 0) return 'list' in of ? [] : null;
    const declared = rows.flatMap(({ path, state }) => (path === null ? [] : [{ path, state }]));
    // Not sorted by the database, because its collation may differ.
    declared.sort((a, b) => (a.path < b.path ? -1 : 1));
    return declared.map(({ path, state }) => ({ paths: pathsOfText(path), state }));
  }

  return {
    list,
    async declare({ paths, name, ...of }, most) {
      if (!NAME.test(name) || !paths.every(canBeIn(of))) throw new Error('invalid name or path of an index');
      const text = textOfPaths(paths);
      const [statement, values]: [string, SqlValue[]] =
        'list' in of
          ? [OF_LIST.declare, [of.list, text, LIST_PREFIX + name, most]]
          : [OF_COLLECTION.declare(executor), [of.collection, text, DOCUMENT_PREFIX + name, most]];
      if ((await executor.change(statement, values)) === 1) return 'declared';
      const indexes = await list(of);
      if (indexes === null) return null;
      return indexes.some((index) => textOfPaths(index.paths) === text) ? 'exists' : 'full';
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
