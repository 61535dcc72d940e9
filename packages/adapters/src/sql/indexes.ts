import type { CollectionIndex, IndexStore, Path } from '@baobab/core';
import { idText } from './criteria/document-statement.ts';
import { indexedForm, isIndexable } from './criteria/index-keys.ts';
import type { SqlExecutor } from './executor.ts';
import { withRowLock } from './row-lock.ts';

const NAME = /^[a-z0-9_]{1,60}$/;
/** The prefix of all index names. */
export const PREFIX = 'document_index_';

const LIST = `select c.id, i.path, i.state from collections c left join collection_indexes i on i.collection = c.id
  where c.name_key = ?1 order by i.path`;
const DECLARE = withRowLock(
  'key share of c',
  (lock) => `insert into collection_indexes (collection, path, name, state) select c.id, ?2, ?3, 'building'
  from collections c where c.name_key = ?1
  and (select count(*) from collection_indexes i where i.collection = c.id) < ?4${lock} on conflict do nothing`,
);
const REMOVE = `delete from collection_indexes where path = ?2
  and collection = (select c.id from collections c where c.name_key = ?1)`;
const ALL = 'select collection, path, name, state from collection_indexes order by name';
export const SET_READY = `update collection_indexes set state = 'ready' where name = ?1`;

interface IndexRow {
  readonly collection: string;
  readonly path: string;
  readonly name: string;
  readonly state: CollectionIndex['state'];
}

interface ListedRow {
  readonly path: string | null;
  readonly state: CollectionIndex['state'];
}

/** How a database creates and drops the declared indexes. */
export interface IndexWork {
  /** Names, with PREFIX, of the existing indexes that are valid. */
  whole(): Promise<readonly string[]>;
  /** Names of all existing indexes. */
  all(): Promise<readonly string[]>;
  /** Builds an index that is missing or invalid, and runs SET_READY. */
  build(name: string, definition: string): Promise<void>;
  drop(name: string): Promise<void>;
}

export interface IndexBuilder {
  /** Runs `work` while nobody else builds, on this node or another. */
  exclusively(work: (work: IndexWork) => Promise<void>): Promise<void>;
}

/** The part after `on` of the statement that creates an index. */
function indexDefinition({ criteria }: SqlExecutor, collection: string, path: Path): string {
  const { rank, num, txt } = indexedForm(criteria, path);
  const columns = `((${rank}), (${num}), (${txt}), id)`.replaceAll('documents.content', 'content');
  return `documents ${columns} where collection = ${idText(collection)}`;
}

export function createIndexStore(executor: SqlExecutor, builder: IndexBuilder): IndexStore {
  /** The last requested work: each begins when the previous one has ended. */
  let last: Promise<void> = Promise.resolve();

  async function reconcileNow(work: IndexWork): Promise<void> {
    const declared = await executor.read<IndexRow>(ALL, []);
    const whole = new Set(await work.whole());
    for (const { collection, path, name, state } of declared) {
      if (state === 'ready' && whole.has(name)) continue;
      await work.build(name, indexDefinition(executor, collection, JSON.parse(path)));
    }
    const wanted = new Set((await executor.read<IndexRow>(ALL, [])).map(({ name }) => name));
    for (const name of await work.all()) if (!wanted.has(name)) await work.drop(name);
  }

  return {
    async list(collection) {
      const rows = await executor.read<ListedRow>(LIST, [collection]);
      if (rows.length === 0) return null;
      return rows.flatMap(({ path, state }) => (path === null ? [] : [{ path: JSON.parse(path), state }]));
    },
    async declare({ collection, path, name }, most) {
      if (!NAME.test(name) || !isIndexable(path)) throw new Error('invalid name or path of an index');
      const text = JSON.stringify(path);
      const values = [collection, text, PREFIX + name, most];
      if ((await executor.change(DECLARE(executor), values)) === 1) return 'declared';
      const indexes = await this.list(collection);
      if (indexes === null) return null;
      return indexes.some((index) => JSON.stringify(index.path) === text) ? 'exists' : 'full';
    },
    async remove(collection, path) {
      if ((await executor.change(REMOVE, [collection, JSON.stringify(path)])) === 1) return true;
      return (await this.list(collection)) === null ? null : false;
    },
    reconcile() {
      const next = last.then(() => builder.exclusively(reconcileNow));
      last = next.catch(() => undefined);
      return next;
    },
  };
}
