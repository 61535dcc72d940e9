import type { LiveChange } from '../query/live.ts';
import type { DocumentFields } from '../wire.ts';
import type { Compare } from './order.ts';

/** Rows beyond the limit that are kept, so that not every row that leaves has to be replaced from the service. */
const SPARE = 20;

/** Whether both are the same state of a document. The name of the author can change without a new version. */
const isSame = (a: DocumentFields, b: DocumentFields) =>
  a['@version'] === b['@version'] && a._author === b._author && a.id === b.id;

/** The first rows of a query, as far as they are known. */
export function createWindow(compare: Compare, limit = Number.POSITIVE_INFINITY) {
  let known = new Map<string, DocumentFields>();
  /** Every row up to here is known, and none after it; null when all rows are known. */
  let end: DocumentFields | null = null;

  const sorted = () => Array.from(known.values()).sort(compare);

  return {
    /** How many rows to list. */
    wanted: limit + SPARE,
    /** Replaces everything by rows of the service. */
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
      // A list may be newer than what arrives after it; and changes may arrive twice.
      if (old !== undefined && (old['@version'] > row['@version'] || isSame(old, row))) return;
      if (end !== null && compare(row, end) > 0) known.delete(row.id);
      else known.set(row.id, row);
    },
    gone(id: string): void {
      known.delete(id);
    },
    /** Whether rows have to be listed because others have left. */
    isShort: () => end !== null && known.size < limit,
    /** The rows, in order. */
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

/** How rows differ; null when they do not. */
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
