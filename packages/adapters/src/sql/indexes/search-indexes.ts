import {
  type SearchField,
  type SearchIndex,
  type SearchIndexStore,
  type StoredSearchIndex,
  storedWords,
  wordsHeader,
} from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';
import { changesOne, idIn, jsonArrays, withRowLock } from '../statements/fragments.ts';

/** State of an index whose words are being removed. */
export const REMOVED = 'removed';

interface Row {
  readonly collection: string;
  readonly key: string;
  readonly number: number;
  readonly fields: string;
  readonly state: StoredSearchIndex['state'] | typeof REMOVED;
}

const COLUMNS = 's.collection, c.name_key as "key", s.number, s.fields, s.state';
const ALL = `select ${COLUMNS} from search_indexes s join collections c on c.id = s.collection`;
const FIND = `${ALL} where c.name_key = ?1`;
/** ?1 collection, ?2 fields */
const DECLARE = withRowLock(
  'key share of c',
  (lock) => `insert into search_indexes (collection, number, fields, state)
  select c.id, (select coalesce(max(s.number), 0) + 1 from search_indexes s), ?2, 'building'
  from collections c where c.name_key = ?1${lock}
  on conflict (collection) do update set number = excluded.number, fields = excluded.fields, state = excluded.state
  where search_indexes.fields <> excluded.fields or search_indexes.state = '${REMOVED}'`,
);
const REMOVE = `update search_indexes set state = '${REMOVED}' where state <> '${REMOVED}'
  and collection = (select c.id from collections c where c.name_key = ?1)`;
/** ?1 collection, ?2 number */
const SET_READY = `update search_indexes set state = 'ready' where collection = ?1 and number = ?2 and state = 'building'`;
const FORGET = `delete from search_indexes where collection = ?1 and number = ?2 and state = '${REMOVED}'`;

/** Number of documents whose words are stored in one transaction. */
const AT_ONCE = 100;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Documents whose words are missing or of another index. ?1 collection, ?2 last id, ?3 header */
const OUTDATED = withRowLock(
  'update',
  (lock) => `select id, content from documents where collection = ?1 and id > ?2
  and (words is null or substr(words, 1, length(?3)) <> ?3) order by id limit ${AT_ONCE}${lock}`,
);
/** Documents with words. ?1 collection, ?2 last id */
const WITH_WORDS = `select id from documents where collection = ?1 and id > ?2 and words is not null
  order by id limit ${AT_ONCE}`;
/**
 * ?1 collection, ?2 JSON array of ids with their words. Materialized, because SQLite would otherwise compare every
 * document of the collection with each of them.
 */
const setWords = (database: Pick<SqlExecutor, 'isLocal'>) => `with r as materialized (
    select ${idIn(database, 'e.value ->> 0')} as id, e.value ->> 1 as words
    from ${jsonArrays(database, '?2')}
  )
  update documents set words = r.words from r where documents.collection = ?1 and documents.id = r.id`;
const CLEAR_WORDS = 'update documents set words = null where collection = ?1 and id > ?2 and id <= ?3';

const indexOf = ({ number, fields }: Row): SearchIndex => ({ number, fields: JSON.parse(fields) });
const stored = (row: Row): StoredSearchIndex | null =>
  row.state === REMOVED ? null : { ...indexOf(row), state: row.state };

/** Runs a step for each part of the documents of a collection, in the order of their ids. */
async function byParts(step: (after: string) => Promise<string | null>): Promise<boolean> {
  let after: string | null = FIRST_ID;
  let hasWorked = false;
  while (after !== null) {
    after = await step(after);
    if (after !== null) hasWorked = true;
  }
  return hasWorked;
}

async function fill(executor: SqlExecutor, row: Row): Promise<void> {
  const { collection, number } = row;
  const index = indexOf(row);
  const header = wordsHeader(index);
  const pass = () =>
    byParts((after) =>
      executor.atomic(async (transaction) => {
        const values = [collection, after, header];
        const documents = await transaction.read<{ id: string; content: string }>(OUTDATED(executor), values);
        const last = documents.at(-1)?.id ?? null;
        if (last === null) return null;
        const words = documents.map(({ id, content }) => [id, storedWords(index, content)]);
        await transaction.change(setWords(executor), [collection, JSON.stringify(words)]);
        return last;
      }),
    );
  // Another pass for documents that a node wrote before it knew of the index.
  while (await pass());
  await executor.change(SET_READY, [collection, number]);
}

async function clear(executor: SqlExecutor, { collection, number }: Row): Promise<void> {
  const pass = () =>
    byParts(async (after) => {
      const last = (await executor.read<{ id: string }>(WITH_WORDS, [collection, after])).at(-1)?.id ?? null;
      if (last !== null) await executor.change(CLEAR_WORDS, [collection, after, last]);
      return last;
    });
  while (await pass());
  await executor.change(FORGET, [collection, number]);
}

/** Stores the words of documents as their search indexes require, and removes those of removed ones. In parts. */
export async function fillSearchIndexes(executor: SqlExecutor): Promise<void> {
  for (const row of await executor.read<Row>(ALL, [])) {
    if (row.state === 'building') await fill(executor, row);
    if (row.state === REMOVED) await clear(executor, row);
  }
}

export function createSearchIndexStore(executor: SqlExecutor): SearchIndexStore {
  async function find(collection: string): Promise<StoredSearchIndex | null> {
    const [row] = await executor.read<Row>(FIND, [collection]);
    return row === undefined ? null : stored(row);
  }

  return {
    async all() {
      const rows = await executor.read<Row>(ALL, []);
      return new Map(
        rows.flatMap((row) => {
          const index = stored(row);
          return index === null ? [] : [[row.key, index] as const];
        }),
      );
    },
    find,
    async declare(collection: string, fields: readonly SearchField[]) {
      await executor.change(DECLARE(executor), [collection, JSON.stringify(fields)]);
      return find(collection);
    },
    remove: (collection) => changesOne(executor, REMOVE, [collection]),
  };
}
