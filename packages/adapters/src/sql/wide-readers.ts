import { type AccessScope, createBoundedCache } from '@baobab/core';
import { hasMany, scopeParams } from './access-scope.ts';
import * as LISTS from './document-list-statements.ts';
import { COLLECTION } from './document-statements.ts';
import type { SqlExecutor } from './executor.ts';

/** How many callers are remembered, and for how long. Milliseconds. */
const REMEMBERED = 10_000;
const REMEMBERED_MS = 60_000;

/** Callers with a larger part of the collection than one in this many find their documents soon in any order. */
const SPARSE = 8;
/** The most documents that are read to find a page. */
const MOST_READ = 65_536;

const TOTAL = `select n from document_totals where collection = ${COLLECTION}`;

/** What a caller may read of a collection, approximately. */
export interface Reader {
  /** Infinity where an index is the better way, whatever else is asked. */
  readonly readable: number;
  /** The documents of the collection. */
  readonly total: number;
}

/** A caller for whom indexes are the better way. */
export const WIDE: Reader = { readable: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY };

/** A number that is part of a text, of which there must be few. */
export const powerOf2UpTo = (n: number) => 2 ** Math.floor(Math.log2(n));

/** Whether it is cheapest to read all documents of the caller, whatever indexes there are. */
export const hasFew = ({ readable }: Reader): boolean => readable <= LISTS.FEW;

/**
 * Whether reading all documents of the caller is cheaper than to walk through an index of everybody's documents until
 * `rows` of the caller's have passed. If they are spread evenly, that takes `rows * total / readable` entries.
 */
export const isCheaperThanWalk = ({ readable, total }: Reader, rows: number): boolean =>
  readable * readable <= rows * total;

/**
 * Counts what callers may read, up to a limit, to choose the plan of a list. Callers with many readable documents are
 * remembered for a while, because counting that many costs as much as the list. An outdated answer costs time, not rows.
 */
export function createWideReaders(executor: SqlExecutor) {
  const known = createBoundedCache<string, { readonly reader: Reader; readonly since: number }>(REMEMBERED);

  async function readerWithMany(collection: string, count: (most: number) => Promise<number>): Promise<Reader> {
    // Of a distributed database, which keeps no totals, nothing is known.
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
