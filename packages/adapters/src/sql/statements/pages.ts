import type { SqlExecutor, SqlValue } from './executor.ts';
import { mapText, type Sql } from './statement.ts';

/** Columns of a list. */
export interface ListedColumns {
  /** Names of all columns. */
  readonly names: readonly string[];
  /** Columns with texts of unlimited length. */
  readonly heavy: readonly string[];
}

export interface BoundedList {
  readonly text: Sql;
  readonly values: readonly SqlValue[];
  readonly columns: ListedColumns;
  /** Order of the rows, by columns of the statement. */
  readonly order: string;
  /** Maximum size of the heavy columns, in bytes, see `maxBytes` of the ports. Unlimited if undefined. */
  readonly maxBytes: number | undefined;
}

/** Number of rows that are always read: one for the page, and one that indicates more. */
const FIRST_ROWS = 2;

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
 * Reads a list in its order, up to the budget: row by row from a database in this process, by a window function
 * elsewhere.
 */
export function readBounded<Row>(
  executor: SqlExecutor,
  kind: 'read' | 'search',
  { text, values, columns, order, maxBytes }: BoundedList,
): Promise<Row[]> {
  if (executor.isLocal) {
    return executor[kind](text, values, maxBytes === undefined ? undefined : { maxBytes, heavy: columns.heavy });
  }
  // The budget follows the parameters of the statement.
  const budget = `?${values.length + 1}`;
  const bounded = mapText(text, (whole) => boundedText(whole, columns, order, budget));
  return executor[kind](bounded, [...values, maxBytes ?? Number.MAX_SAFE_INTEGER]);
}

/** Rows of the usual page, plus one that indicates more. */
const USUAL_PAGE = 21;

/**
 * Returns the maximum number of rows of a statement for `wanted` rows. It is part of the text, because plans depend
 * on it. There are only a few sizes, because each text remains prepared.
 */
export function pageSize(wanted: number): number {
  return wanted <= USUAL_PAGE ? USUAL_PAGE : 2 ** Math.ceil(Math.log2(wanted));
}

/**
 * Returns the clause that cuts a page. It has an offset only if rows are skipped. For an unknown offset, Postgres
 * plans to skip a tenth of all rows, and starts parallel workers for a page of a large collection (ten million
 * documents: 22 ms instead of 0.5 ms).
 *
 * @param skip parameter with the number of rows to skip, or null
 */
export const cut = (rows: number, skip: string | null) => `limit ${rows}${skip === null ? '' : ` offset ${skip}`}`;
