import { exceedsBytes, type FeedPlace } from '@baobab/core';
import { comparePlaces, type FeedRow } from './feed-rows.ts';

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
