/** An element that was appended: to which list, at which index, and when (milliseconds). */
export interface Append {
  /** The process; `SEVERAL` for all elements from the index on. */
  readonly node: string;
  readonly list: string;
  readonly index: number;
  readonly at: number;
}

/** Stands for the process of appends that were merged. */
export const SEVERAL = '';

/** So long it matters that an element is new. Longer than any request takes. Milliseconds. */
const KEPT_MS = 60_000;
/** Appends that a document remembers. */
const MAX_KEPT = 32;

type Row = readonly [node: string, list: string, index: number, at: number];

const isRow = (row: unknown): row is Row => Array.isArray(row) && row.length === 4;

/** What is remembered beside a document; nothing where that cannot be read. */
export function parseTrace(trace: string | null): Append[] {
  if (trace === null) return [];
  const rows: unknown = JSON.parse(trace);
  if (!Array.isArray(rows)) return [];
  return rows.filter(isRow).map(([node, list, index, at]) => ({ node, list, index, at }));
}

/** The oldest two of one list become one that covers both. */
function merged(appends: readonly Append[]): Append[] {
  for (const [i, old] of appends.entries()) {
    const j = appends.findIndex(({ list }, at) => at > i && list === old.list);
    const next = appends[j];
    if (next === undefined) continue;
    const both = { ...next, index: Math.min(old.index, next.index), node: SEVERAL };
    return appends.flatMap((one, at) => (at === i ? [] : [at === j ? both : one]));
  }
  return appends.slice(1);
}

/** The trace with one more append; what is too old is left out. */
export function tracedWith(appends: readonly Append[], append: Append): string {
  const young = appends.filter(({ at }) => at > append.at - KEPT_MS);
  const kept = [...(young.length < MAX_KEPT ? young : merged(young)), append];
  return JSON.stringify(kept.map(({ node, list, index, at }): Row => [node, list, index, at]));
}

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** A short name for a list of a document (FNV-1a). Two lists of one name only share their caution. */
export function listName(path: string): string {
  let hash = OFFSET;
  for (let at = 0; at < path.length; at++) hash = Math.imul(hash ^ path.charCodeAt(at), PRIME);
  return (hash >>> 0).toString(36);
}
