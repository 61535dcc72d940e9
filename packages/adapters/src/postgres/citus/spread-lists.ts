import {
  createBoundedCache,
  type DocumentList,
  type DocumentRecord,
  type DocumentStore,
  exceedsBytes,
  type ListPosition,
} from '@baobab/core';
import { createDocumentOrder } from '../../document-order.ts';
import { createDocumentLists } from '../../sql/document-lists.ts';
import { READY } from '../../sql/document-targets.ts';
import type { SqlExecutor, SqlValue } from '../../sql/executor.ts';
import type { CollectionIds, PlacedCollection } from './collection-ids.ts';
import { distributedExecutor, inChunks } from './executor.ts';

/** The methods of a document store that read many documents. */
export type Lists = Pick<DocumentStore, 'list' | 'count' | 'summarize'>;

/** At least this many rows of a slice are read at once. */
const FEWEST_ROWS = 16;
/** The slices have about equally many of the next rows. Each is asked for this many times its part. */
const AHEAD = 3;
/** Contents that are read at once, of all slices together, where the request has no limit. Bytes. */
const MOST_BYTES = 8_000_000;
/** For how many slices the state of lists is kept. */
const REMEMBERED = 1_000;

const textsOf = ({ content }: DocumentRecord) => [content];

type Order = ReturnType<typeof createDocumentOrder>;

/** The first rows of all slices in one order, up to the place after which a slice may have more; null: these are all. */
function merge(
  found: readonly (readonly DocumentRecord[])[],
  order: Order,
  mayHaveMore: (rows: readonly DocumentRecord[]) => boolean,
) {
  const ends = found.filter(mayHaveMore).flatMap((rows) => rows.slice(-1).map(order.placeOf));
  const [end = null] = ends.sort(order.compare);
  const rows = found
    .flat()
    .map((document) => ({ document, place: order.placeOf(document) }))
    .filter(({ place }) => end === null || order.compare(place, end) <= 0)
    .sort((a, b) => order.compare(a.place, b.place));
  return { documents: rows.map(({ document }) => document), end };
}

/** A page that is filled document by document. */
function createPage({ skip, limit, maxBytes = Number.POSITIVE_INFINITY }: DocumentList) {
  const documents: DocumentRecord[] = [];
  let toSkip = skip;
  let bytes = 0;
  const isFull = () => documents.length >= limit || (documents.length > 1 && bytes > maxBytes);
  return {
    documents,
    /** How many documents it still needs, also to skip them. */
    wanted: () => toSkip + limit - documents.length,
    isFull,
    /** Adds the next documents until it is full. */
    fill(next: readonly DocumentRecord[]): void {
      const skipped = Math.min(toSkip, next.length);
      toSkip -= skipped;
      for (const document of next.slice(skipped)) {
        if (isFull()) return;
        documents.push(document);
        bytes += Buffer.byteLength(document.content);
      }
    },
  };
}

/** Reads a slice as if it were its collection. */
function sliceExecutor(inner: SqlExecutor, ids: CollectionIds, slice: string, isTransaction: boolean): SqlExecutor {
  const place: PlacedCollection = { id: slice, slices: [] };
  const executor = distributedExecutor(inner, { ...ids, byKey: async () => place }, isTransaction);
  async function read<Row>(sql: string, params: readonly SqlValue[]): Promise<Row[]> {
    const rows = await executor.read<Row>(sql, params);
    return sql === READY ? rows.map((row) => ({ ...row, id: slice })) : rows;
  }
  return { ...executor, read };
}

/** The rows that a summary groups. */
const GROUPED = /\(select 1 as one,? (?:.|\n)*\) found/;
/** What Citus cannot run on several shards at once: it depends on a row, and reads the elements of an array. */
const OF_ELEMENTS = 'jsonb_array_elements(';

/**
 * Reads all slices with each summary of the collection. Citus groups the rows on their shards, and merges the groups; or it
 * finds the rows of each slice with a statement that it runs on one shard, and groups all of them.
 */
function acrossExecutor(
  inner: SqlExecutor,
  ids: CollectionIds,
  { id, slices }: PlacedCollection,
  isTransaction: boolean,
): SqlExecutor {
  const executor = distributedExecutor(inner, ids, isTransaction);
  const here = `collection = '${id}'`;
  const inSlices = `collection in (${slices.map((slice) => `'${slice}'`).join(', ')})`;
  function oneByOne(found: string): string {
    const rows = found.slice(0, found.lastIndexOf(' found'));
    return `(${slices.map((slice) => rows.replaceAll(here, `collection = '${slice}'`)).join(' union all ')}) found`;
  }
  return {
    ...executor,
    search(sql, params, bound) {
      const text = sql.includes(OF_ELEMENTS) ? sql.replace(GROUPED, oneByOne) : sql.replaceAll(here, inSlices);
      return executor.search(text, params, bound);
    },
  };
}

/** The lists of spread collections. */
export function createSpreadLists(inner: SqlExecutor, ids: CollectionIds, isTransaction: boolean) {
  const known = createBoundedCache<string, Lists>(REMEMBERED);

  function listsOf(slice: string): Lists {
    let lists = known.get(slice);
    if (lists === undefined) {
      lists = createDocumentLists(sliceExecutor(inner, ids, slice, isTransaction));
      known.set(slice, lists);
    }
    return lists;
  }

  /** Whatever each slice answers; null when the collection has been removed. */
  async function askAll<Answer>(
    slices: readonly string[],
    question: (lists: Lists) => Promise<Answer | null>,
  ): Promise<Answer[] | null> {
    const answers = await inChunks(slices, (slice) => question(listsOf(slice)));
    const found = answers.filter((answer) => answer !== null);
    return found.length < answers.length ? null : found;
  }

  /** The next documents in the order, at least one if there is one; null when the collection has been removed. */
  async function next({ slices }: PlacedCollection, request: DocumentList, order: Order) {
    const { limit: wanted, maxBytes: most = MOST_BYTES } = request;
    const limit = Math.min(wanted, Math.max(FEWEST_ROWS, Math.ceil((AHEAD * wanted) / slices.length)));
    const maxBytes = Math.ceil((AHEAD * Math.min(most, MOST_BYTES)) / slices.length);
    const found = await askAll(slices, (lists) => lists.list({ ...request, skip: 0, limit, maxBytes }));
    const mayHaveMore = (rows: readonly DocumentRecord[]) =>
      rows.length >= limit || exceedsBytes(rows, textsOf, maxBytes);
    return found && merge(found, order, mayHaveMore);
  }

  /** Merges the first rows of all slices, and reads on behind the last one that no slice can have a row before. */
  async function list(collection: PlacedCollection, request: DocumentList): Promise<DocumentRecord[] | null> {
    const order = createDocumentOrder(request.order);
    const page = createPage(request);
    let after: ListPosition | null = request.after;
    for (;;) {
      const read = await next(collection, { ...request, after, limit: page.wanted() }, order);
      if (read === null) return null;
      page.fill(read.documents);
      const last = read.documents.at(-1);
      if (page.isFull() || read.end === null || last === undefined) return page.documents;
      after = order.positionOf(last);
    }
  }

  async function count({ slices }: PlacedCollection, ...[key, scope, where]: Parameters<Lists['count']>) {
    const counts = await askAll(slices, (lists) => lists.count(key, scope, where));
    return counts?.reduce((sum, n) => sum + n, 0) ?? null;
  }

  return {
    list,
    count,
    summarize: (collection: PlacedCollection, summary: Parameters<Lists['summarize']>[0]) =>
      createDocumentLists(acrossExecutor(inner, ids, collection, isTransaction)).summarize(summary),
  };
}
