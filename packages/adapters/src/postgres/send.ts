import type { Sql } from 'postgres';

/** Result of a statement. */
export interface Answer {
  readonly rows: readonly unknown[];
  /** Number of rows that the statement returned or changed. */
  readonly count: number;
}

interface SendOptions {
  readonly prepare?: boolean;
  readonly simple?: boolean;
}

/** Sends a statement. A text with several statements must have no parameters. */
export type Send = (text: string, params?: (string | number | null)[], options?: SendOptions) => Promise<Answer>;

/** Counts of the requests and answers on a connection. */
export interface Traffic {
  /** Answers that have not arrived yet. */
  due: number;
  /** Rows and answers that have arrived. */
  heard: number;
}

const NONE: unknown[] = [];

/**
 * Gathers rows one by one. The arrays that the driver resolves with survive into the old generation of the heap,
 * where collecting them is expensive. See ADR 7.
 *
 * This is the only use of `unsafe`. Statements shared by both SQL databases are texts converted to the form of
 * Postgres by our own compiler (ADR 5). Criteria and migrations compose theirs. All values are bound as parameters.
 */
export function createSend(sql: Sql<{ bigint: number }>, traffic: Traffic): Send {
  return async (text, params = [], options = {}) => {
    let rows: unknown[] = [];
    traffic.due++;
    try {
      const { count } = await sql.unsafe(text, params, options).forEach((row) => {
        traffic.heard++;
        rows.push(row);
      });
      const answer = { rows, count };
      rows = NONE; // the driver's query keeps this function alive, and with it the rows
      return answer;
    } finally {
      traffic.due--;
      traffic.heard++;
    }
  };
}
