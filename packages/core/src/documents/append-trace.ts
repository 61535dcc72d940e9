/** A record of appended elements: the list, the index, and the time (milliseconds). */
export interface Append {
  /** The process that appended; `SEVERAL` for a merged record of all elements from the index on. */
  readonly node: string;
  readonly list: string;
  readonly index: number;
  readonly at: number;
}

/** Stands for the processes of merged records. */
export const SEVERAL = '';

/** How long an append matters: longer than any request takes. Milliseconds. */
const KEPT_MS = 60_000;
/** Maximum number of appends recorded in a document. */
const MAX_KEPT = 32;

type Row = readonly [node: string, list: string, index: number, at: number];

const isRow = (row: unknown): row is Row => Array.isArray(row) && row.length === 4;

/** The appends recorded in a document; empty when the trace is absent or cannot be parsed. */
export function parseTrace(trace: string | null): Append[] {
  if (trace === null) return [];
  const rows: unknown = JSON.parse(trace);
  if (!Array.isArray(rows)) return [];
  return rows.filter(isRow).map(([node, list, index, at]) => ({ node, list, index, at }));
}

/** Merges the two oldest records of one list into one that covers both. */
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

/** The trace with one more append, without those that are too old. */
export function tracedWith(appends: readonly Append[], append: Append): string {
  const young = appends.filter(({ at }) => at > append.at - KEPT_MS);
  const kept = [...(young.length < MAX_KEPT ? young : merged(young)), append];
  return JSON.stringify(kept.map(({ node, list, index, at }): Row => [node, list, index, at]));
}

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** A short name for a list of a document (FNV-1a). If two lists have the same name, calls are only refused more often. */
export function listName(path: string): string {
  let hash = OFFSET;
  for (let at = 0; at < path.length; at++) hash = Math.imul(hash ^ path.charCodeAt(at), PRIME);
  return (hash >>> 0).toString(36);
}
