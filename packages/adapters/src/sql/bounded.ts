import type { SqlExecutor, SqlValue } from './executor.ts';

/** What a list reads. */
export interface ListedColumns {
  /** The names of all columns. */
  readonly names: readonly string[];
  /** Those that hold texts of any length. */
  readonly heavy: readonly string[];
}

export interface BoundedList {
  readonly text: string;
  readonly values: readonly SqlValue[];
  readonly columns: ListedColumns;
  /** The order that the rows come in, by columns of the statement. */
  readonly order: string;
  /** Bytes of the heavy columns: see `maxBytes` of the ports. Absent: any number. */
  readonly maxBytes: number | undefined;
}

/** Rows that are read in any case: one for the page, and one to see that there are more. */
const FIRST_ROWS = 2;

const texts = new Map<string, string>();

/**
 * The statement with as many of its rows as there is room for. Of a long text only its length is read to find that out
 * (https://www.postgresql.org/docs/current/storage-toast.html), and what does not fit never leaves the server.
 *
 * @param budget the parameter with the bytes
 */
export function boundedText(text: string, { names, heavy }: ListedColumns, order: string, budget: string): string {
  const bytes = heavy.map((name) => `coalesce(octet_length(p."${name}"), 0)`).join(' + ');
  return `select ${names.map((name) => `"${name}"`).join(', ')} from (
    select p.*, row_number() over w as row_place, sum(${bytes}) over (w rows between unbounded preceding and 1 preceding) as bytes_before
    from (${text}) p window w as (order by ${order})
  ) sized where row_place <= ${FIRST_ROWS} or bytes_before <= ${budget} order by ${order}`;
}

/** Reads a list row by row where that is possible, and else by a statement that stops. */
export async function readBounded<Row>(
  executor: SqlExecutor,
  kind: 'read' | 'search',
  list: BoundedList,
): Promise<Row[]> {
  const { text, values, columns, order, maxBytes } = list;
  if (executor.isLocal) {
    return executor[kind](text, values, maxBytes === undefined ? undefined : { maxBytes, heavy: columns.heavy });
  }
  const budget = `?${values.length + 1}`;
  const bounded = [...values, maxBytes ?? Number.MAX_SAFE_INTEGER];
  if (kind === 'search') return executor.search(boundedText(text, columns, order, budget), bounded);
  let known = texts.get(text);
  if (known === undefined) {
    known = boundedText(text, columns, order, budget);
    texts.set(text, known);
  }
  return executor.read(known, bounded);
}
