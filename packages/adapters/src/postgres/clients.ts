import { AppError } from '@baobab/core';
import type { Sql } from 'postgres';
import { endsConnection } from './errors.ts';
import { watchSilence } from './silence.ts';

/** The result of a statement. */
export interface Answer {
  readonly rows: readonly unknown[];
  /** How many rows the statement returned or changed. */
  readonly count: number;
}

interface SendOptions {
  readonly prepare?: boolean;
  readonly simple?: boolean;
}

/** Sends a statement. A text with several statements must have no parameters. */
export type Send = (text: string, params?: (string | number | null)[], options?: SendOptions) => Promise<Answer>;

/** The requests and answers of a connection, as counts. */
interface Traffic {
  /** Statements that were given to the driver. */
  sent: number;
  /** Answers that have not arrived yet. */
  due: number;
  /** Rows and answers that have arrived. */
  heard: number;
}

/** A client of the driver with one connection. */
export interface Client {
  readonly sql: Sql<{ bigint: number }>;
  readonly send: Send;
  /** How often the connection was lost. The driver reconnects on its own, even in the middle of a transaction. */
  readonly losses: number;
  readonly traffic: Traffic;
  /** Whether the connection has answered and has not been lost since. */
  isConnected: boolean;
}

/** Creates a client; the driver must call `onclose` whenever its connection is lost. */
export function createClient(open: (onclose: () => void) => Client['sql']): Client {
  const traffic = { sent: 0, due: 0, heard: 0 };
  const client = { losses: 0, isConnected: false, traffic };
  const sql = open(() => {
    client.losses++;
    client.isConnected = false;
    setImmediate(endForgotten, traffic.sent);
  });

  /**
   * When a connection is reset, the driver rejects the statements that wait for an answer, and a moment later learns that
   * the socket is closed. It forgets statements that it is given in between: they would wait until the silence of the
   * connection is noticed. Ending the client rejects them.
   */
  function endForgotten(sentBefore: number): void {
    const sentSince = traffic.sent - sentBefore;
    if (traffic.due > sentSince) sql.end({ timeout: 0 }).catch(() => undefined);
  }
  return Object.assign(client, { sql, send: createSend(sql, traffic) });
}

const NONE: unknown[] = [];

/**
 * Gathers rows one by one. The arrays that the driver resolves with survive into the old generation of the heap, where
 * collecting them is expensive. See ADR 29.
 *
 * The only use of `unsafe`: the statements that both SQL databases share are texts, which our own compiler has put into
 * the form of Postgres (ADR 3), and criteria and migrations compose theirs. Their values are bound, as parameters.
 */
function createSend(sql: Client['sql'], traffic: Traffic): Send {
  return async (text, params = [], options = {}) => {
    let rows: unknown[] = [];
    traffic.sent++;
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

/** Begins a transaction whose statements see the same state of the database. */
export const BEGIN_SNAPSHOT = 'begin isolation level repeatable read read only';
export type BeginText = 'begin' | typeof BEGIN_SNAPSHOT;

/**
 * Runs `work` in a transaction on a client that nobody else uses meanwhile. The driver's own `begin` sends `rollback`
 * even on a lost connection, which ends the process (https://github.com/porsager/postgres/issues/1154). Here nothing is
 * sent once the connection is lost.
 *
 * @throws `storage.unavailable` when the connection is lost in the transaction
 */
export async function inTransaction<T>(
  client: Client,
  work: (send: Send) => Promise<T>,
  begin: BeginText = 'begin',
): Promise<T> {
  await client.send(begin);
  const { losses } = client;
  const isLost = () => client.losses !== losses;
  let last: Promise<unknown> = Promise.resolve();

  /** One at a time: a statement queued in the driver would go out on the next connection, outside the transaction. */
  async function next(before: Promise<unknown>, args: Parameters<Send>): Promise<Answer> {
    await before.catch(() => undefined);
    if (isLost()) throw new AppError('storage.unavailable', { detail: 'the connection was lost in a transaction' });
    return client.send(...args);
  }
  const send: Send = (...args) => {
    const sent = next(last, args);
    last = sent;
    return sent;
  };

  try {
    const result = await work(send);
    await send('commit');
    return result;
  } catch (error) {
    if (!isLost() && !endsConnection(error)) await send('rollback');
    throw error;
  }
}

/** A pool of clients, each used by one caller at a time. */
export interface Clients {
  take(): Client;
  /** Returns a client. If `error` means that its connection has ended, the client is dropped and later replaced. */
  give(client: Client, error: unknown): void;
  /** Replaces all clients, each when nobody uses it: connections opened from now on have other settings. */
  renew(): void;
  close(): Promise<void>;
}

/**
 * Creates as many clients as are in use at the same time, each on first need.
 *
 * @param silence milliseconds without any data while an answer is due, after which a connection counts as lost
 */
export function createClients(open: () => Client, silence: number): Clients {
  const all = new Set<Client>();
  const free: Client[] = [];
  const outdated = new WeakSet<Client>();
  let closed = false;
  const watch = watchSilence(silence, all, drop);

  /** Statements that wait for an answer on it fail as on a connection that was cut. */
  function drop(client: Client): void {
    all.delete(client);
    client.sql.end({ timeout: 0 }).catch(() => undefined);
  }

  function make(): Client {
    const client = open();
    all.add(client);
    return client;
  }

  return {
    take() {
      if (closed) throw new AppError('storage.unavailable', { detail: 'the connection pool is closed' });
      return free.pop() ?? make();
    },
    give(client, error) {
      if ((error === null || !endsConnection(error)) && !outdated.has(client)) {
        client.isConnected ||= error === null;
        free.push(client);
        return;
      }
      drop(client);
    },
    renew() {
      for (const client of all) outdated.add(client);
      for (const client of free.splice(0)) drop(client);
    },
    async close() {
      closed = true;
      watch.end();
      await Promise.all(Array.from(all, ({ sql }) => sql.end({ timeout: 5 })));
    },
  };
}
