import type { Condition, DocumentList, DocumentRecord, OrderKey } from '@baobab/core';
import { hasMany } from './access-scope.ts';
import type { Plan, Query, QueryHints } from './criteria/document-queries.ts';
import type { Target } from './criteria/document-statement.ts';
import { isCreation } from './criteria/order.ts';
import { pageSize } from './document-list-statements.ts';
import { hasFew, isCheaperThanWalk, powerOf2UpTo, type Reader, WIDE } from './wide-readers.ts';

/** Up to this many rows of an index are read and sorted without first looking for a page in the requested order. */
const MANY = 2000;
/** Finding and sorting the id of a granted document costs about this part of reading the document. */
const PART = 8;
/** Reading and sorting a document costs as much as to pass this many entries of an index. */
const ENTRIES = 4;
/** A condition that no index helps with is expected to hold for one document in this many. */
const FILTERED = 8;
/**
 * How long the number of rows in the ranges of a query that comes again is remembered. Few are counted again soon, because
 * reading all rows of a range is slow once it has grown. Milliseconds.
 */
const MANY_REMEMBERED_MS = 60_000;
const FEW_REMEMBERED_MS = 5_000;

/** The direction of an order by creation; null for another order. */
export function walkOf([key]: readonly OrderKey[]): { readonly descending: boolean } | null {
  if (key === undefined) return { descending: false };
  return isCreation(key) ? { descending: key.descending } : null;
}

/** The plan by indexes; null where it depends on the number of rows in the ranges. */
function indexedPlan({ ranges, isOrdered, isOrderedByRanges }: QueryHints): Plan | null {
  if (ranges === null) return 'scan';
  if (isOrderedByRanges) return ranges === 'alone' ? 'scan' : null;
  return isOrdered ? null : 'ranges';
}

/**
 * Whether reading the caller's own documents ends with the page, as in the order of the ids. What is granted to many
 * principals is brought into this order first.
 */
function endsWithPage(reader: Reader, { order, scope, skip, limit }: DocumentList): boolean {
  if (walkOf(order) === null || scope.followed) return false;
  return !hasMany(scope) || isCheaperThanWalk(reader, pageSize(skip + limit) * PART);
}

/**
 * Whether it is cheaper than to walk through an index, whose order is the requested one, until the page is full. With a
 * condition it may cost some times as much, because the walk has no end if hardly any of the caller's documents meets it.
 */
function isCheaperThanOrder(reader: Reader, { where, skip, limit }: DocumentList, { ranges }: QueryHints): boolean {
  const rows = pageSize(skip + limit);
  if (where === null) return isCheaperThanWalk(reader, rows / ENTRIES);
  return isCheaperThanWalk(reader, ranges === null ? rows * FILTERED : rows);
}

/** Whether reading the caller's own documents is cheaper, unless an index finds fewer rows. */
function isOwnWorthTrying(reader: Reader, list: DocumentList, help: QueryHints): boolean {
  const { ranges, isOrderedByRanges } = help;
  if (ranges !== null && endsWithPage(reader, list)) return true;
  const isInOrder = ranges === null || isOrderedByRanges;
  return !isInOrder || isCheaperThanOrder(reader, list, help);
}

/** What a list is read by. */
interface ListReading {
  readonly target: Target;
  readonly reader: Reader;
  readonly help: QueryHints;
  by(plan: Plan): Promise<DocumentRecord[]>;
  /** Whether these rows are a full page. */
  isPage(rows: readonly DocumentRecord[]): boolean;
}

/** The number of rows in the ranges of a condition that comes again. */
interface Counted {
  readonly collection: string;
  readonly order: readonly OrderKey[];
  readonly n: number;
  readonly most: number;
  /** Until when it is used, by `performance.now()`. */
  readonly until: number;
}

/**
 * Chooses how lists are read where there are indexes. The request does not show which plan is cheap: a range of an index
 * may hold three rows or all, and the caller may be able to read ten documents or all. So they are counted first, up to a
 * limit.
 */
export function createListChoice(search: (query: Query) => Promise<readonly { readonly n: number }[]>) {
  const counted = new WeakMap<Condition, Counted>();

  /** The number of rows as it was counted lately, if it tells whether there are as many as `most`. */
  function remembered({ where, order }: DocumentList, { target }: ListReading, most: number): number | null {
    const known = where === null ? undefined : counted.get(where);
    if (known === undefined || known.collection !== target.collection || known.order !== order) return null;
    const isEnough = known.n < known.most || most <= known.most;
    return isEnough && performance.now() < known.until ? known.n : null;
  }

  /** How many rows are in the ranges, up to `most` in each. An outdated answer costs time, not rows. */
  async function numberInRanges(list: DocumentList, reading: ListReading, most: number): Promise<number> {
    const known = remembered(list, reading, most);
    if (known !== null) return known;
    const n = (await search(reading.help.rangeCount(most)))[0]?.n ?? 0;
    const { where, order } = list;
    const until = performance.now() + (n < MANY ? FEW_REMEMBERED_MS : MANY_REMEMBERED_MS);
    if (where !== null) counted.set(where, { collection: reading.target.collection, order, n, most, until });
    return n;
  }

  /** If there are many rows in the ranges, the first in the order fill the page. */
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
