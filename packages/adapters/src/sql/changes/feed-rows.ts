import { type AccessScope, compareCodePoints, exceedsBytes, type FeedPlace } from '@baobab/core';
import { hasMany, scopeParams } from '../documents/access-scope.ts';
import { FIRST_ID } from '../lists/document-list-statements.ts';
import { FEW } from '../lists/list-plan.ts';
import type { SqlExecutor, SqlValue } from '../statements/executor.ts';
import { countOf } from '../statements/fragments.ts';
import { pageSize } from '../statements/pages.ts';
import * as SQL from './feed-statements.ts';

/** Range of the feed: the places after one, before the horizon. */
export interface FeedRange {
  readonly after: FeedPlace;
  readonly horizon: number;
  /** Keys of collections, or null for all. */
  readonly collections: readonly string[] | null;
}

/** A document that changed, or that an audience gained or lost. */
export interface FeedRow extends FeedPlace {
  /** Id of its collection. */
  readonly collection: string;
}

/** The first rows of some sources, and the place up to which none of them has more. Null: up to the horizon. */
export interface FeedRows<Row extends FeedRow = FeedRow> {
  readonly rows: readonly Row[];
  readonly end: FeedPlace | null;
}

/** Reader for whom changed documents are searched. */
export interface FeedReader {
  readonly scope: AccessScope;
  /** Keys of collections whose documents are all readable. */
  readonly openCollections: readonly string[];
  readonly limit: number;
}

/** Finds changed documents in one of the databases. */
export interface DocumentPlaces {
  /** Returns the first changed documents, regardless of access. */
  all(range: FeedRange, limit: number): Promise<FeedRows>;
  /** Returns changed documents that the reader may read. */
  readable(range: FeedRange, reader: FeedReader): Promise<FeedRows>;
}

/** Number of document changes to examine for a page whose reader may not read all documents. */
export const WINDOW = 2_048;

export const comparePlaces = (a: FeedPlace, b: FeedPlace): number =>
  a.position - b.position || compareCodePoints(a.id, b.id);

const isAfter = (a: FeedPlace, b: FeedPlace): boolean => comparePlaces(a, b) > 0;

/** Returns the earlier place. Null is after every place. */
export function earlier(a: FeedPlace | null, b: FeedPlace | null): FeedPlace | null {
  if (a === null || b === null) return a ?? b;
  return isAfter(a, b) ? b : a;
}

export const upTo = (end: FeedPlace | null) => (row: FeedPlace) => end === null || !isAfter(row, end);

/** Returns the place as parameters of a statement. */
export const placeParams = ({ position, id }: FeedPlace): SqlValue[] => [position, id === '' ? FIRST_ID : id];

/** Merges the rows of several sources. A source with `size` rows may have more. */
export function cut<Row extends FeedRow>(sources: Iterable<readonly Row[]>, size: number): FeedRows<Row> {
  let end: FeedPlace | null = null;
  const all: Row[] = [];
  for (const rows of sources) {
    const last = rows.at(-1);
    if (last !== undefined && rows.length >= size) end = earlier(end, last);
    all.push(...rows);
  }
  return { rows: all.filter(upTo(end)), end };
}

export function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Iterable<Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups.values();
}

/** Returns the changed ones among all documents that the reader may read. Null if those are many. */
export async function withinReach(
  executor: SqlExecutor,
  { after, horizon }: FeedRange,
  ids: readonly string[],
  { scope, limit }: { readonly scope: AccessScope; readonly limit: number },
): Promise<FeedRows | null> {
  const extent = { followed: scope.followed, many: hasMany(scope) };
  const values = [JSON.stringify(ids), null, ...scopeParams(scope)];
  if ((await countOf(executor, SQL.reachCount(executor.isLocal, extent), values)) > FEW) return null;
  const size = pageSize(limit + 1);
  const text = SQL.reach(executor.isLocal, extent, size);
  const rows = await executor.read<FeedRow>(text, [...values, ...placeParams(after), horizon]);
  // A distributed database returns a page of each collection.
  return cut([rows.toSorted(comparePlaces).slice(0, size)], size);
}

/** Returns each document once, at its greatest place, in order. */
export function latestRows<Row extends FeedRow>(rows: readonly Row[]): Row[] {
  const latest = new Map(rows.toSorted(comparePlaces).map((row) => [row.id, row]));
  return Array.from(latest.values()).sort(comparePlaces);
}

/**
 * Returns the rows before the first one whose document was not read because of the byte limit, or all rows. Documents
 * are read in the order of their first rows.
 */
export function rowsUpToLast<Document extends { readonly id: string }>(
  rows: readonly FeedRow[],
  documents: readonly Document[],
  limit: {
    readonly maxBytes: number | undefined;
    readonly textsOf: (document: Document) => readonly string[];
  },
): readonly FeedRow[] {
  const { maxBytes, textsOf } = limit;
  const last = documents.at(-1);
  if (last === undefined || maxBytes === undefined || !exceedsBytes(documents, textsOf, maxBytes)) return rows;
  const ids = Array.from(new Set(rows.map(({ id }) => id)));
  const read = new Set(ids.slice(0, ids.indexOf(last.id) + 1));
  const end = rows.findIndex(({ id }) => !read.has(id));
  return end < 0 ? rows : rows.slice(0, end);
}

/**
 * Returns the start of the next page after `taken` rows, of all that were found up to `end` (null: up to the
 * horizon).
 */
export function whereToGoOn(
  { after, horizon }: { readonly after: FeedPlace; readonly horizon: number },
  { found, taken, end }: { readonly found: readonly FeedRow[]; readonly taken: number; readonly end: FeedPlace | null },
): { readonly next: FeedPlace; readonly more: boolean } {
  const last = found[taken - 1];
  if (last !== undefined && taken < found.length) return { next: { position: last.position, id: last.id }, more: true };
  if (end !== null) return { next: { position: end.position, id: end.id }, more: true };
  return { next: after.position < horizon ? { position: horizon, id: '' } : after, more: false };
}
