import {
  createBoundedCache,
  type DocumentList,
  type DocumentRecord,
  type DocumentStore,
  exceedsBytes,
  type ListPosition,
} from '@baobab/core';
import { createDocumentOrder } from '../../document-order.ts';
import { createDocumentLists } from '../../sql/lists/document-lists.ts';
import type { SqlExecutor } from '../../sql/statements/executor.ts';
import type { CollectionIds, PlacedCollection } from './collection-ids.ts';
import { distributedExecutor } from './executor.ts';
import { inChunks } from './in-chunks.ts';

/** Methods of a document store that read many documents. */
export type Lists = Pick<DocumentStore, 'list' | 'count' | 'summarize'>;

/** Minimum number of rows that one read of a slice requests. */
const FEWEST_ROWS = 16;
/** Slices contain about equal shares of the next rows. Each read requests this multiple of a share. */
const AHEAD = 3;
/** Maximum size of contents read at a time from all slices together, if the request has no limit, in bytes. */
const MOST_BYTES = 8_000_000;
/** Maximum number of slices with cached list state. */
const REMEMBERED = 1_000;

const textsOf = ({ content }: DocumentRecord) => [content];

type Order = ReturnType<typeof createDocumentOrder>;

/**
 * Merges the first rows of all slices, up to the place after which a slice may have more. `end` is null if there are
 * no more.
 */
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

/** Creates a page that is filled document by document. */
function createPage({ skip, limit, maxBytes = Number.POSITIVE_INFINITY }: DocumentList) {
  const documents: DocumentRecord[] = [];
  let toSkip = skip;
  let bytes = 0;
  const isFull = () => documents.length >= limit || (documents.length > 1 && bytes > maxBytes);
  return {
    documents,
    /** Returns the number of missing documents, including those to skip. */
    wanted: () => toSkip + limit - documents.length,
    isFull,
    /** Adds documents until the page is full. */
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

/** Creates the lists of spread collections. */
export function createSpreadLists(inner: SqlExecutor, ids: CollectionIds, isTransaction: boolean) {
  const known = createBoundedCache<string, Lists>(REMEMBERED);

  function listsOf(slice: string): Lists {
    let lists = known.get(slice);
    if (lists === undefined) {
      const place = { id: slice, slices: [] };
      const executor = distributedExecutor(inner, { ...ids, byKey: async () => place }, isTransaction);
      lists = createDocumentLists(executor, { parts: [slice] });
      known.set(slice, lists);
    }
    return lists;
  }

  /** Returns the answers of all slices, or null if the collection is removed. */
  async function askAll<Answer>(
    slices: readonly string[],
    question: (lists: Lists) => Promise<Answer | null>,
  ): Promise<Answer[] | null> {
    const answers = await inChunks(slices, (slice) => question(listsOf(slice)));
    const found = answers.filter((answer) => answer !== null);
    return found.length < answers.length ? null : found;
  }

  /** Returns the next documents in the order, at least one if there are any. Null if the collection is removed. */
  async function next({ slices }: PlacedCollection, request: DocumentList, order: Order) {
    const { limit: wanted, maxBytes: most = MOST_BYTES } = request;
    const limit = Math.min(wanted, Math.max(FEWEST_ROWS, Math.ceil((AHEAD * wanted) / slices.length)));
    const maxBytes = Math.ceil((AHEAD * Math.min(most, MOST_BYTES)) / slices.length);
    const found = await askAll(slices, (lists) => lists.list({ ...request, skip: 0, limit, maxBytes }));
    const mayHaveMore = (rows: readonly DocumentRecord[]) =>
      rows.length >= limit || exceedsBytes(rows, textsOf, maxBytes);
    return found && merge(found, order, mayHaveMore);
  }

  /**
   * Merges the first rows of all slices, then continues after the last row that no unread row of a slice can precede.
   */
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
    summarize: ({ slices }: PlacedCollection, summary: Parameters<Lists['summarize']>[0]) =>
      createDocumentLists(distributedExecutor(inner, ids, isTransaction), { parts: slices }).summarize(summary),
  };
}
