import { type AccessScope, createBoundedCache } from '@baobab/core';
import { hasMany, scopeParams } from './access-scope.ts';
import * as LISTS from './document-list-statements.ts';
import { COLLECTION } from './document-statements.ts';
import type { SqlExecutor } from './executor.ts';

/** Maximum number of cached callers, and the time for which they are cached, in milliseconds. */
const REMEMBERED = 10_000;
const REMEMBERED_MS = 60_000;

/** Callers with a share of the collection greater than one in this many find their documents soon in any order. */
const SPARSE = 8;
/** Maximum number of documents that are read to find a page. */
const MOST_READ = 65_536;

const TOTAL = `select n from document_totals where collection = ${COLLECTION}`;

/** Documents of a collection that a caller may read, approximately. */
export interface Reader {
  /** Infinity if an index is the better way in any case. */
  readonly readable: number;
  /** Number of documents in the collection. */
  readonly total: number;
}

/** A caller for whom indexes are the better way. */
export const WIDE: Reader = { readable: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY };

/** Rounds a number that is part of a text down, to limit the number of distinct texts. */
export const powerOf2UpTo = (n: number) => 2 ** Math.floor(Math.log2(n));

/** True if it is cheapest to read all documents of the caller, regardless of indexes. */
export const hasFew = ({ readable }: Reader): boolean => readable <= LISTS.FEW;

/**
 * True if reading all documents of the caller is cheaper than reading an index on all documents until `rows` of the
 * caller's are found. If they are spread evenly, that takes `rows * total / readable` entries.
 */
export const isCheaperThanWalk = ({ readable, total }: Reader, rows: number): boolean =>
  readable * readable <= rows * total;

/**
 * Counts the documents that callers may read, up to a limit, to choose the plan of a list. Callers with many readable
 * documents are cached for a while, because counting that many costs as much as the list. An outdated count costs
 * time, not rows.
 */
export function createWideReaders(executor: SqlExecutor) {
  const known = createBoundedCache<string, { readonly reader: Reader; readonly since: number }>(REMEMBERED);

  async function readerWithMany(collection: string, count: (most: number) => Promise<number>): Promise<Reader> {
    // A distributed database has no totals, so the count is unknown.
    const total = (await executor.readOne<{ n: number }>(TOTAL, [collection]))?.n ?? 0;
    const most = Math.min(MOST_READ, powerOf2UpTo(total / SPARSE));
    if (most <= LISTS.FEW) return WIDE;
    const readable = await count(most);
    return readable > most ? WIDE : { readable, total };
  }

  return {
    async find(collection: string, scope: AccessScope): Promise<Reader> {
      if (scope.everything) return WIDE;
      const { owner, principals, followed } = scope;
      const key = `${collection} ${followed} ${owner ?? principals.join()}`;
      const remembered = known.get(key);
      if (remembered !== undefined && performance.now() - remembered.since < REMEMBERED_MS) return remembered.reader;
      const values = [collection, null, ...scopeParams(scope)];
      const count = (most: number) =>
        executor.count(LISTS.readableCount({ followed, many: hasMany(scope), most }), values);
      const readable = await count(LISTS.FEW);
      if (readable <= LISTS.FEW) return { readable, total: 0 };
      const reader = await readerWithMany(collection, count);
      known.set(key, { reader, since: performance.now() });
      return reader;
    },
  };
}
