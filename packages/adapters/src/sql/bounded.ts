import type { SqlExecutor, SqlValue } from './executor.ts';

/** What a list reads. */
export interface ListedColumns {
  /** The names of all columns. */
  readonly names: readonly string[];
  /** Those that hold texts of any length. */
  readonly heavy: readonly string[];
  /** What these are selected from; empty where that is no column. */
  readonly sources: readonly string[];
}

export interface BoundedList {
  readonly text: string;
  readonly values: readonly SqlValue[];
  readonly columns: ListedColumns;
  /** The order that the rows come in, by columns of the statement. */
  readonly order: string;
  /** How many rows the statement gives at most. */
  readonly rows: number;
  /** Bytes of the heavy columns: see `maxBytes` of the ports. Absent: any number. */
  readonly maxBytes: number | undefined;
}

/** Rows that are read in any case: one for the page, and one to see that there are more. */
const FIRST_ROWS = 2;

/** No database keeps a longer one, and Postgres takes lengths for integers of 32 bits. */
const LONGEST_TEXT = 2 ** 31 - 1;

const boundedTexts = new Map<string, string>();
const guardedTexts = new Map<string, string>();

/**
 * The statement with as many of its rows as there is room for. Of a long text only its length is read to find that out
 * (https://www.postgresql.org/docs/current/storage-toast.html), and what does not fit never leaves the server.
 *
 * @param budget the parameter with the bytes
 */
function boundedText(text: string, { names, heavy }: ListedColumns, order: string, budget: string): string {
  const bytes = heavy.map((name) => `coalesce(octet_length(p."${name}"), 0)`).join(' + ');
  return `select ${names.map((name) => `"${name}"`).join(', ')} from (
    select p.*, row_number() over w as row_place, sum(${bytes}) over (w rows between unbounded preceding and 1 preceding) as bytes_before
    from (${text}) p window w as (order by ${order})
  ) sized where row_place <= ${FIRST_ROWS} or bytes_before <= ${budget} order by ${order}`;
}

/**
 * The statement without the texts that are longer than their share of the room. Their lengths are read from their headers.
 *
 * @param share the parameter with the bytes
 */
function guardedText(text: string, { heavy, sources }: ListedColumns, share: string): string {
  let guarded = text;
  for (const [at, source] of sources.entries()) {
    // What is selected stands first.
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

/** What `make` made of a text of which there are few. */
function known(kind: Kind, made: Map<string, string>, text: string, make: () => string): string {
  if (kind === 'search') return make();
  let result = made.get(text);
  if (result === undefined) {
    result = make();
    made.set(text, result);
  }
  return result;
}

type Kind = 'read' | 'search';

/** The rows, if each is within its share of the room, as nearly all are: then none is cut off. Null otherwise. */
async function readWhole<Row>(executor: SqlExecutor, kind: Kind, list: BoundedList): Promise<Row[] | null> {
  const { text, values, columns, rows, maxBytes } = list;
  const { heavy, sources } = columns;
  if (maxBytes === undefined) return executor[kind](text, values);
  if (sources.length === 0) return null;
  const guarded = known(kind, guardedTexts, text, () => guardedText(text, columns, `?${values.length + 1}`));
  const share = Math.min(Math.floor(maxBytes / (rows * sources.length)), LONGEST_TEXT);
  const found = await executor[kind]<Record<string, unknown>>(guarded, [...values, share]);
  return found.every((row) => heavy.every((name) => row[name] !== null)) ? (found as Row[]) : null;
}

/**
 * Reads a list as far as there is room. To stop on the way costs more than to read, so it is tried without; but statements
 * that Postgres searches by come without an order, which is that of the window.
 */
export async function readBounded<Row>(executor: SqlExecutor, kind: Kind, list: BoundedList): Promise<Row[]> {
  const { text, values, columns, order, maxBytes = Number.MAX_SAFE_INTEGER } = list;
  const whole = executor.isLocal || kind === 'read' ? await readWhole<Row>(executor, kind, list) : null;
  if (whole !== null) return whole;
  if (executor.isLocal) return executor[kind](text, values, { maxBytes, heavy: columns.heavy });
  const make = () => boundedText(text, columns, order, `?${values.length + 1}`);
  return executor[kind](known(kind, boundedTexts, text, make), [...values, maxBytes]);
}
