import type { Condition, DocumentList, DocumentRecord, OrderKey } from '@baobab/core';
import { hasMany } from './access-scope.ts';
import type { Plan, Query, QueryHints } from './criteria/document-queries.ts';
import type { Target } from './criteria/document-statement.ts';
import { isCreation } from './criteria/order.ts';
import { pageSize } from './document-list-statements.ts';
import { hasFew, isCheaperThanWalk, powerOf2UpTo, type Reader, WIDE } from './wide-readers.ts';

/** Maximum number of index rows that are read and sorted without first trying a window in the requested order. */
const MANY = 2000;
/** The cost of reading a document is about this multiple of finding and sorting the id of a granted one. */
const PART = 8;
/** The cost of reading and sorting a document equals that of passing this many index entries. */
const ENTRIES = 4;
/** Assumed selectivity of a filter without an index: one document in this many. */
const FILTERED = 8;
/**
 * Time for which the row count in the ranges of a repeated query is cached, in milliseconds. Small counts expire
 * sooner, because reading all rows of a range is slow once it has grown.
 */
const MANY_REMEMBERED_MS = 60_000;
const FEW_REMEMBERED_MS = 5_000;

/** Returns the direction of an order by creation, or null for another order. */
export function walkOf([key]: readonly OrderKey[]): { readonly descending: boolean } | null {
  if (key === undefined) return { descending: false };
  return isCreation(key) ? { descending: key.descending } : null;
}

/** Returns the plan by indexes, or null if it depends on the number of rows in the ranges. */
function indexedPlan({ ranges, isOrdered, isOrderedByRanges }: QueryHints): Plan | null {
  if (ranges === null) return 'scan';
  if (isOrderedByRanges) return ranges === 'alone' ? 'scan' : null;
  return isOrdered ? null : 'ranges';
}

/**
 * Returns true if reading the caller's own documents ends with the page, as in the order of the ids. Documents
 * granted to many principals must first be sorted into this order.
 */
function endsWithPage(reader: Reader, { order, scope, skip, limit }: DocumentList): boolean {
  if (walkOf(order) === null || scope.followed) return false;
  return !hasMany(scope) || isCheaperThanWalk(reader, pageSize(skip + limit) * PART);
}

/**
 * Returns true if it is cheaper than reading an index in the requested order until the page is full. With a filter it
 * may cost a few times as much, because the scan has no end if hardly any of the caller's documents match.
 */
function isCheaperThanOrder(reader: Reader, { where, skip, limit }: DocumentList, { ranges }: QueryHints): boolean {
  const rows = pageSize(skip + limit);
  if (where === null) return isCheaperThanWalk(reader, rows / ENTRIES);
  return isCheaperThanWalk(reader, ranges === null ? rows * FILTERED : rows);
}

/** Returns true if reading the caller's own documents is cheaper, unless an index finds fewer rows. */
function isOwnWorthTrying(reader: Reader, list: DocumentList, help: QueryHints): boolean {
  const { ranges, isOrderedByRanges } = help;
  if (ranges !== null && endsWithPage(reader, list)) return true;
  const isInOrder = ranges === null || isOrderedByRanges;
  return !isInOrder || isCheaperThanOrder(reader, list, help);
}

/** Sources for reading a list. */
interface ListReading {
  readonly target: Target;
  readonly reader: Reader;
  readonly help: QueryHints;
  by(plan: Plan): Promise<DocumentRecord[]>;
  /** Returns true if these rows are a full page. */
  isPage(rows: readonly DocumentRecord[]): boolean;
}

/** Number of rows in the ranges of a repeated filter. */
interface Counted {
  readonly collection: string;
  readonly order: readonly OrderKey[];
  readonly n: number;
  readonly most: number;
  /** End of its use, by `performance.now()`. */
  readonly until: number;
}

/**
 * Chooses the access plans of lists with indexes. The request does not reveal the cheapest plan: a range of an index
 * may contain three rows or all, and the caller may be able to read ten documents or all. So they are counted first,
 * up to a limit.
 */
export function createListChoice(search: (query: Query) => Promise<readonly { readonly n: number }[]>) {
  const counted = new WeakMap<Condition, Counted>();

  /** Returns the recent count of rows, if it shows whether there are at least `most`. */
  function remembered({ where, order }: DocumentList, { target }: ListReading, most: number): number | null {
    const known = where === null ? undefined : counted.get(where);
    if (known === undefined || known.collection !== target.collection || known.order !== order) return null;
    const isEnough = known.n < known.most || most <= known.most;
    return isEnough && performance.now() < known.until ? known.n : null;
  }

  /** Returns the number of rows in the ranges, up to `most` in each. An outdated result costs time, not rows. */
  async function numberInRanges(list: DocumentList, reading: ListReading, most: number): Promise<number> {
    const known = remembered(list, reading, most);
    if (known !== null) return known;
    const n = (await search(reading.help.rangeCount(most)))[0]?.n ?? 0;
    const { where, order } = list;
    const until = performance.now() + (n < MANY ? FEW_REMEMBERED_MS : MANY_REMEMBERED_MS);
    if (where !== null) counted.set(where, { collection: reading.target.collection, order, n, most, until });
    return n;
  }

  /** If there are many rows in the ranges, the first ones in the order fill the page. */
  async function readByIndex(list: DocumentList, reading: ListReading): Promise<DocumentRecord[]> {
    const { help, by, isPage } = reading;
    const plan = indexedPlan(help);
    if (plan !== null) return by(plan);
    if ((await numberInRanges(list, reading, MANY)) < MANY) return by('ranges');
    if (help.isOrderedByRanges) return by('scan');
    const first = await by('window');
    return isPage(first) ? first : by('ranges');
  }

  async function isOwnCheaper(list: DocumentList, reading: ListReading): Promise<boolean> {
    const { reader, help } = reading;
    if (reader === WIDE) return false;
    if (!isOwnWorthTrying(reader, list, help)) return false;
    if (help.ranges === null) return true;
    const most = Math.max(MANY, powerOf2UpTo(reader.readable));
    return (await numberInRanges(list, reading, most)) >= most;
  }

  return async function read(list: DocumentList, reading: ListReading): Promise<DocumentRecord[]> {
    if (hasFew(reading.reader) || (await isOwnCheaper(list, reading))) return reading.by('accessPaths');
    return readByIndex(list, reading);
  };
}
