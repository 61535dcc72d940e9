import { isSliceOf, keyOf } from '../../slice-keys.ts';
import { REMOVE } from '../../sql/collection-removal.ts';
import { LOCK_ALL, NAMES_AT_ONCE } from '../../sql/document-statements.ts';
import type { SqlExecutor, SqlValue } from '../../sql/executor.ts';
import { TRANSACTION_ID } from '../../sql/feed-position.ts';
import { FORGET_COLLECTION, LOCK_DOCUMENTS } from '../../sql/feed-records.ts';
import { CHANGED_ANYWHERE, CHANGED_IN } from '../../sql/feed-statements.ts';
import { isThere } from '../../sql/is-there.ts';
import { jsonRows } from '../../sql/json-rows.ts';
import { ATTEMPTS, createGivenUp, isForeignKeyViolation } from '../errors.ts';
import type { CollectionIds } from './collection-ids.ts';
import { NOT_IN_SPREAD } from './layout.ts';
import { sliceOf } from './slices.ts';
import {
  COLLECTION_PARAM,
  type Placed,
  type PlaceSource,
  POSITION_PARAM,
  place,
  searchWithoutSlices,
} from './statements.ts';

type Params = readonly SqlValue[];

/** Maximum number of collections that a statement runs for concurrently. */
const AT_ONCE = 8;

const POSITION = `select ${TRANSACTION_ID} as position`;
const NAMES = `select u.name as author, c.name as collection from users u cross join collections c
  where u.id = ?1 and c.id = ?2 and ${isThere('c.name')}`;
const AUTHOR = 'select name as author from users where id = ?1';
const COLLECTIONS = `select id, ${keyOf('name_key')} as "key" from collections`;
const COLLECTIONS_IN = `select c.id, w.value as "key" from ${jsonRows({ isLocal: false }, '?1')} w
  join collections c on ${keyOf('c.name_key')} = w.value`;
const REMOVE_SLICES = `delete from collections where ${isSliceOf('name_key', 'cast(?1 as text)')} returning id`;
/** ?1 position, ?2 id, ?3 horizon */
const IS_CHANGED = `select 1 as one from documents where collection = cast(?${COLLECTION_PARAM} as uuid) and position > 0
  and (position, id) > (?1, ?2) and position < ?3 order by position, id limit 1`;
const SOME_IDS = Array.from({ length: NAMES_AT_ONCE }, (_, i) => `?${i + 1}`).join(', ');
const PLACES = `select id, collection from documents where id in (${SOME_IDS})`;
const LOCK_SOME = `select id from documents where collection = cast(?${COLLECTION_PARAM} as uuid) and id in (${SOME_IDS})
  order by id for no key update`;
const COLLECTIONS_OF = 'select distinct collection as id from documents where author = ?1 order by id';
const LOCK_OF_AUTHOR = `select id from documents where author = ?1 and collection = cast(?${COLLECTION_PARAM} as uuid)
  order by id for update`;
const COLLECTION_KEY = 'documents_collection_fkey';
const CHANGES_COLLECTIONS = /^(?:insert into|update|delete from) collections\b/;

interface Identified {
  readonly id: string;
}

interface NamedCollection extends Identified {
  readonly key: string;
}

interface FeedPlace {
  readonly id: string;
  readonly position: number;
}

/** Workers report the name of a constraint only in the message. */
const isOfRemovedCollection = (error: unknown) =>
  isForeignKeyViolation(error) && error instanceof Error && error.message.includes(COLLECTION_KEY);

/** True if the collection was spread after its id was read. */
const isOfSpreadCollection = (error: unknown) => error instanceof Error && error.message.includes(NOT_IN_SPREAD);

const byPlace = (a: FeedPlace, b: FeedPlace) => a.position - b.position || (a.id < b.id ? -1 : 1);

function withParam(params: Params, number: number, value: SqlValue): SqlValue[] {
  const values = params.slice();
  values[number - 1] = value;
  return values;
}

/** Runs `work` for all items, with limited concurrency. */
export async function inChunks<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  }
  return results;
}

const texts = new Map<string, Placed>();

function placedText(sql: string): Placed {
  let found = texts.get(sql);
  if (found === undefined) {
    found = place(sql);
    texts.set(sql, found);
  }
  return found;
}

/** Parameters of a statement, with the added collection and position. Null if its collection does not exist. */
type Told = SqlValue[] | Params | null;

/** Runs the statements of the stores on distributed documents. */
export function distributedExecutor(inner: SqlExecutor, ids: CollectionIds, isTransaction: boolean): SqlExecutor {
  let position: Promise<number> | null = null;

  /** Reads the position of the transaction with `write`, which notifies listeners of the addition to the feed. */
  async function readPosition(): Promise<number> {
    const [row] = await inner.write<{ position: number }>(POSITION, []);
    if (row === undefined) throw new Error('the database gave no transaction id');
    return row.position;
  }

  /** Returns the placement of a collection, or of one document in a spread collection. */
  async function placeOf(key: string, document: SqlValue): Promise<string | null> {
    const found = await ids.byKey(inner, key);
    if (found === null || found.slices.length === 0) return found?.id ?? null;
    if (typeof document === 'string') return sliceOf(found.slices, document);
    throw new Error('a statement on a spread collection names no document'); // lists query each slice
  }

  async function collectionOf(
    source: PlaceSource,
    isOfDocument: boolean,
    [first = null, second = null]: Params,
  ): Promise<string | null> {
    if (source === 'key') return typeof first === 'string' ? placeOf(first, isOfDocument ? second : null) : null;
    const document = source === 'document1' ? first : second;
    return typeof document === 'string' ? ids.byDocument(inner, document) : null;
  }

  async function tell({ place: source, isOfDocument, needsPosition }: Placed, params: Params): Promise<Told> {
    let told: Params = params;
    if (source !== null) {
      const collection = await collectionOf(source, isOfDocument, params);
      if (collection === null) return null;
      told = withParam(told, COLLECTION_PARAM, collection);
    }
    if (needsPosition) {
      position ??= readPosition();
      told = withParam(told, POSITION_PARAM, await position);
    }
    return told;
  }

  /** Caches the placement of a found or created document for the next statement about it. */
  function note({ isOfDocument }: Placed, told: Params): void {
    const [document, collection] = [told[1], told[COLLECTION_PARAM - 1]];
    if (isOfDocument && typeof document === 'string' && typeof collection === 'string') ids.note(document, collection);
  }

  const inCollection = <Row>(text: string, params: Params, collection: string) =>
    inner.read<Row>(text, withParam(params, COLLECTION_PARAM, collection));

  /** Runs a statement on several collections once for each. */
  async function forEach<Row>(text: string, params: Params): Promise<Row[]> {
    const collections: string[] = JSON.parse(String(params[0]));
    const found = await inChunks(collections, (id) =>
      inCollection<Row>(text, [JSON.stringify([id]), ...params.slice(1)], id),
    );
    return found.flat();
  }

  async function changedCollections(sql: string, params: Params): Promise<NamedCollection[]> {
    const among =
      sql === CHANGED_IN
        ? await inner.read<NamedCollection>(COLLECTIONS_IN, [params[3] ?? null])
        : await inner.read<NamedCollection>(COLLECTIONS, []);
    const changed = await inChunks(among, async ({ id }) => (await inCollection(IS_CHANGED, params, id)).length > 0);
    return among.filter((_, at) => changed[at]);
  }

  /** Locks collections sequentially, in an order that is the same everywhere. */
  async function lockAll(params: Params): Promise<Identified[]> {
    const placed = new Map<string, string[]>();
    for (const { id, collection } of await inner.read<Identified & { collection: string }>(PLACES, params)) {
      ids.note(id, collection);
      const others = placed.get(collection);
      if (others === undefined) placed.set(collection, [id]);
      else others.push(id);
    }
    const locked: Identified[] = [];
    for (const collection of Array.from(placed.keys()).toSorted()) {
      locked.push(...(await inCollection<Identified>(LOCK_SOME, placed.get(collection) ?? [], collection)));
    }
    return locked;
  }

  async function lockOfAuthor(params: Params): Promise<number> {
    let n = 0;
    for (const { id } of await inner.read<Identified>(COLLECTIONS_OF, params)) {
      n += (await inCollection(LOCK_OF_AUTHOR, params, id)).length;
    }
    return n;
  }

  /**
   * Replaces ids with names, and omits rows whose collection or author was removed meanwhile. A document added while
   * the removal of its collection began is never visible, and is removed with it.
   */
  async function named<Row>(rows: readonly Row[], columns: Placed['unnamed']): Promise<Row[]> {
    const text = columns.includes('collection') ? NAMES : AUTHOR;
    const result: Row[] = [];
    for (const row of rows) {
      const { author = null, collection = null } = row as { readonly author?: string; readonly collection?: string };
      const names = await inner.readOne<object>(text, [author, collection]);
      if (names !== null) result.push({ ...row, ...names });
    }
    return result;
  }

  /**
   * Returns the reason why a document was not added: since its id was read, the collection was removed or spread.
   *
   * @throws `error` if it has another cause, and an error that causes a retry if the statement cannot be repeated
   */
  function whatChanged(error: unknown, mayRepeat: boolean): 'removed' | 'spread' {
    const isSpread = isOfSpreadCollection(error);
    if (!isSpread && !isOfRemovedCollection(error)) throw error;
    ids.forget();
    if (!mayRepeat) throw createGivenUp('a collection has changed while a document was added to it', error);
    return isSpread ? 'spread' : 'removed';
  }

  async function insert<Row>(statement: Placed, params: Params, attempt = 1): Promise<Row[]> {
    const told = await tell(statement, params);
    if (told === null) return [];
    try {
      const rows = await inner.write<Row>(statement.text, told);
      note(statement, told);
      return rows;
    } catch (error) {
      // In a transaction, only the whole can be repeated.
      const changed = whatChanged(error, !isTransaction && attempt < ATTEMPTS);
      return changed === 'spread' ? insert(statement, params, attempt + 1) : [];
    }
  }

  /** Removes a collection with its slices. Returns the removed collections, without slices. */
  async function removeCollection(params: Params): Promise<Identified[]> {
    const removed = await inner.write<Identified>(REMOVE, params);
    const slices = removed.length === 0 ? [] : await inner.write<Identified>(REMOVE_SLICES, params);
    for (const { id } of slices) await inner.change(FORGET_COLLECTION, [id]);
    return removed;
  }

  async function read<Row>(sql: string, params: Params): Promise<Row[]> {
    if (sql === CHANGED_ANYWHERE || sql === CHANGED_IN) return (await changedCollections(sql, params)) as Row[];
    if (sql === LOCK_ALL) return (await lockAll(params)) as Row[];
    const placed = placedText(sql);
    if (placed.isForEach) {
      const rows = await forEach<Row>(placed.text, params);
      // Each collection returned a page. The first rows of all are the requested page.
      return sql.startsWith('with reach')
        ? ((rows as FeedPlace[]).toSorted(byPlace).slice(0, limitOf(sql)) as Row[])
        : rows;
    }
    const told = await tell(placed, params);
    return told === null ? [] : inner.read<Row>(placed.text, told);
  }

  async function update<Row>(statement: Placed, params: Params): Promise<Row[]> {
    const told = await tell(statement, params);
    if (told === null) return [];
    const rows = await inner.write<Row>(statement.text, told);
    if (rows.length > 0) note(statement, told);
    return rows;
  }

  async function write<Row>(sql: string, params: Params): Promise<Row[]> {
    if (sql === REMOVE) return (await removeCollection(params)) as Row[];
    const placed = placedText(sql);
    const isNew = placed.isOfDocument && placed.text.startsWith('insert into');
    const rows = await (isNew ? insert<Row>(placed, params) : update<Row>(placed, params));
    return placed.unnamed.length > 0 ? named(rows, placed.unnamed) : rows;
  }

  async function change(sql: string, params: Params): Promise<number> {
    const placed = placedText(sql);
    const told = await tell(placed, params);
    return told === null ? 0 : inner.change(placed.text, told);
  }

  async function count(sql: string, params: Params): Promise<number> {
    if (sql === LOCK_DOCUMENTS) return lockOfAuthor(params);
    const placed = placedText(sql);
    if (placed.isForEach) {
      const counts = await forEach<{ n: number }>(placed.text, params);
      return counts.reduce((sum, { n }) => sum + n, 0);
    }
    const told = await tell(placed, params);
    return told === null ? 0 : inner.count(placed.text, told);
  }

  async function readOne<Row>(sql: string, params: Params): Promise<Row | null> {
    const placed = placedText(sql);
    if (placed.isOfCounters) return null;
    const told = await tell(placed, params);
    if (told === null) return null;
    const row = await inner.readOne<Row>(placed.text, told);
    if (row !== null) note(placed, told);
    return row;
  }

  /** Runs a statement. Drops cached collections if it changes any. */
  async function forgetting<T>(sql: string, run: () => Promise<T>): Promise<T> {
    if (!CHANGES_COLLECTIONS.test(sql)) return run();
    try {
      return await run();
    } finally {
      ids.forget();
    }
  }

  /** True if the statement needs the position of a transaction and must therefore run in one. */
  const needsOne = (sql: string) => !isTransaction && placedText(sql).needsPosition;
  const atomic: SqlExecutor['atomic'] = isTransaction
    ? (work) => work(executor)
    : (work) => inner.atomic((transaction) => work(distributedExecutor(transaction, ids, true)));

  const executor: SqlExecutor = {
    ...inner,
    read,
    readOne,
    count,
    // Search texts contain the id of the collection.
    search: (sql, params, bound) => inner.search(searchWithoutSlices(sql), params, bound),
    write: (sql, params) =>
      needsOne(sql)
        ? atomic((transaction) => transaction.write(sql, params))
        : forgetting(sql, () => write(sql, params)),
    change: (sql, params) =>
      needsOne(sql)
        ? atomic((transaction) => transaction.change(sql, params))
        : forgetting(sql, () => change(sql, params)),
    atomic,
    snapshot: isTransaction
      ? (work) => work(executor)
      : (work) => inner.snapshot((snapshot) => work(distributedExecutor(snapshot, ids, true))),
  };
  return executor;
}

/** Returns the row limit at the end of a statement. */
function limitOf(sql: string): number {
  return Number(/limit (\d+)$/.exec(sql)?.[1] ?? Number.POSITIVE_INFINITY);
}
