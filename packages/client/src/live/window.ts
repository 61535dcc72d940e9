import type { LiveChange } from '../query/live.ts';
import type { DocumentFields } from '../wire.ts';
import type { Compare } from './order.ts';

/** Rows stored beyond the limit, so that most rows that leave can be replaced without a request. */
const SPARE = 20;

/** Returns true for the same state of a document. The name of the author can change without a new version. */
const isSame = (a: DocumentFields, b: DocumentFields) =>
  a['@version'] === b['@version'] && a._author === b._author && a.id === b.id;

/** Creates the known first rows of a query. */
export function createWindow(compare: Compare, limit = Number.POSITIVE_INFINITY) {
  let known = new Map<string, DocumentFields>();
  /** Last row up to which all rows are known; no later row is known. Null if all rows are known. */
  let end: DocumentFields | null = null;

  const sorted = () => Array.from(known.values()).sort(compare);

  return {
    /** Number of rows to list. */
    wanted: limit + SPARE,
    /** Replaces all rows by a list from the server. */
    load(rows: readonly DocumentFields[], hasMore: boolean): void {
      const before = known;
      known = new Map();
      for (const row of rows) {
        const old = before.get(row.id);
        known.set(row.id, old !== undefined && isSame(old, row) ? old : row);
      }
      end = hasMore ? (rows.at(-1) ?? null) : null;
    },
    put(row: DocumentFields): void {
      const old = known.get(row.id);
      // A list may be newer than changes that arrive after it, and changes may arrive twice.
      if (old !== undefined && (old['@version'] > row['@version'] || isSame(old, row))) return;
      if (end !== null && compare(row, end) > 0) known.delete(row.id);
      else known.set(row.id, row);
    },
    gone(id: string): void {
      known.delete(id);
    },
    /** Returns true if too many rows have left and rows must be listed again. */
    isShort: () => end !== null && known.size < limit,
    /** Returns the rows in order. */
    rows(): readonly DocumentFields[] {
      const all = sorted();
      if (all.length > limit + 2 * SPARE) {
        all.length = limit + SPARE;
        end = all.at(-1) ?? null;
        known = new Map(all.map((row) => [row.id, row]));
      }
      return all.slice(0, limit);
    },
  };
}

export type Window = ReturnType<typeof createWindow>;

/** Returns the difference between two lists of rows; null if there is none. */
export function changeBetween(
  before: readonly DocumentFields[],
  rows: readonly DocumentFields[],
): LiveChange<DocumentFields> | null {
  const old = new Map(before.map((row) => [row.id, row]));
  const added: DocumentFields[] = [];
  const updated: DocumentFields[] = [];
  for (const row of rows) {
    const known = old.get(row.id);
    if (known === undefined) added.push(row);
    else if (known !== row) updated.push(row);
    old.delete(row.id);
  }
  const removed = Array.from(old.values());
  return added.length + updated.length + removed.length === 0 ? null : { added, updated, removed };
}
