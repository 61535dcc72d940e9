import { createBoundedCache } from '@baobab/core';
import type { SqlExecutor, SqlValue } from './executor.ts';

/** Columns of a list. */
export interface ListedColumns {
  /** Names of all columns. */
  readonly names: readonly string[];
  /** Columns with texts of unlimited length. */
  readonly heavy: readonly string[];
  /** Source columns of the heavy ones. Empty if those are expressions. */
  readonly sources: readonly string[];
}

export interface BoundedList {
  readonly text: string;
  readonly values: readonly SqlValue[];
  readonly columns: ListedColumns;
  /** Order of the rows, by columns of the statement. */
  readonly order: string;
  /** Maximum number of rows that the statement returns. */
  readonly rows: number;
  /** True if the statement orders its rows and returns no other columns. Absent if unknown. */
  readonly isOrdered?: boolean;
  /** Maximum size of the heavy columns, in bytes, see `maxBytes` of the ports. Unlimited if undefined. */
  readonly maxBytes: number | undefined;
}

/** Number of rows that are always read: one for the page, and one that indicates more. */
const FIRST_ROWS = 2;

/** Maximum length of a text in any database. Postgres counts lengths in 32-bit integers. */
const LONGEST_TEXT = 2 ** 31 - 1;

/**
 * Texts of searches are unlimited in number and length. The most recently used are cached, up to this length in
 * UTF-16 units.
 */
const KEPT_SEARCHES = 256;
const LONGEST_KEPT = 8_192;

/** A text with a limit. Its parameter follows those of the statement. */
interface Limited {
  readonly text: string;
  /** Number of parameters before it. A statement may have values of the caller that its text does not use. */
  readonly values: number;
  readonly order: string;
}

const createTexts = () => ({
  read: new Map<string, Limited>(),
  search: createBoundedCache<string, Limited>(KEPT_SEARCHES),
});
const boundedTexts = createTexts();
const guardedTexts = createTexts();

/**
 * Limits a statement to the rows that the budget allows. Only the length of a long text is read to determine this
 * (https://www.postgresql.org/docs/current/storage-toast.html), and rows beyond the budget never leave the server.
 *
 * @param budget parameter with the limit, in bytes
 */
function boundedText(text: string, { names, heavy }: ListedColumns, order: string, budget: string): string {
  const bytes = heavy.map((name) => `coalesce(octet_length(p."${name}"), 0)`).join(' + ');
  return `select ${names.map((name) => `"${name}"`).join(', ')} from (
    select p.*, row_number() over w as row_place, sum(${bytes}) over (w rows between unbounded preceding and 1 preceding) as bytes_before
    from (${text}) p window w as (order by ${order})
  ) sized where row_place <= ${FIRST_ROWS} or bytes_before <= ${budget} order by ${order}`;
}

/**
 * Replaces each text that exceeds its share of the budget with null. Lengths are read from the texts' headers.
 *
 * @param share parameter with the limit, in bytes
 */
function guardedText(text: string, { heavy, sources }: ListedColumns, share: string): string {
  let guarded = text;
  for (const [at, source] of sources.entries()) {
    // The first occurrence is in the select list.
    guarded = guarded.replace(
      new RegExp(`${source.replaceAll('.', '\\.')}( as "?\\w+"?)?`),
      (_match, alias?: string) => {
        const name = alias ?? ` as ${heavy[at]}`;
        return `case when octet_length(${source}) <= ${share} then ${source} end${name}`;
      },
    );
  }
  return guarded;
}

/** Returns the result of `make` for the parameter with the limit, cached. */
function limited(
  texts: ReturnType<typeof createTexts>,
  kind: Kind,
  { text, values, order }: BoundedList,
  make: (limit: string) => string,
): string {
  const made = texts[kind].get(text);
  if (made?.values === values.length && made.order === order) return made.text;
  const result = make(`?${values.length + 1}`);
  if (kind === 'read' || text.length <= LONGEST_KEPT)
    texts[kind].set(text, { text: result, values: values.length, order });
  return result;
}

type Kind = 'read' | 'search';

/** Returns the rows if each is within its share of the budget, as usual. Otherwise null. */
async function readWhole<Row>(executor: SqlExecutor, kind: Kind, list: BoundedList): Promise<Row[] | null> {
  const { text, values, columns, rows, maxBytes } = list;
  const { heavy, sources } = columns;
  if (maxBytes === undefined) return executor[kind](text, values);
  if (sources.length === 0) return null;
  const guarded = limited(guardedTexts, kind, list, (share) => guardedText(text, columns, share));
  const share = Math.min(Math.floor(maxBytes / (rows * sources.length)), LONGEST_TEXT);
  const found = await executor[kind]<Record<string, unknown>>(guarded, [...values, share]);
  return found.every((row) => heavy.every((name) => row[name] !== null)) ? (found as Row[]) : null;
}

/**
 * Reads a list up to the budget. Limiting costs more than reading, so the statement first runs without it, except for
 * searches on Postgres with unordered statements, whose order the window provides.
 */
export async function readBounded<Row>(executor: SqlExecutor, kind: Kind, list: BoundedList): Promise<Row[]> {
  const { text, values, columns, order, isOrdered = false, maxBytes = Number.MAX_SAFE_INTEGER } = list;
  const whole = executor.isLocal || kind === 'read' || isOrdered ? await readWhole<Row>(executor, kind, list) : null;
  if (whole !== null) return whole;
  if (executor.isLocal) return executor[kind](text, values, { maxBytes, heavy: columns.heavy });
  const bounded = limited(boundedTexts, kind, list, (budget) => boundedText(text, columns, order, budget));
  return executor[kind](bounded, [...values, maxBytes]);
}
