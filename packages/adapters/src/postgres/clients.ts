import { AppError } from '@baobab/core';
import type { Sql } from 'postgres';
import { endsConnection } from './errors.ts';
import { watchSilence } from './silence.ts';

/** What a statement gave. */
export interface Answer {
  readonly rows: readonly unknown[];
  /** How many rows it gave or changed. */
  readonly count: number;
}

interface SendOptions {
  readonly prepare?: boolean;
  readonly simple?: boolean;
}

/** Sends a statement; several in one text only without parameters. */
export type Send = (text: string, params?: (string | number | null)[], options?: SendOptions) => Promise<Answer>;

/** What was asked and heard on a connection. */
export interface Traffic {
  /** Answers that have not come yet. */
  due: number;
  /** Rows and answers that have come. */
  heard: number;
}

/** A client of the driver with one connection. */
export interface Client {
  readonly sql: Sql<{ bigint: number }>;
  readonly send: Send;
  /** How often the connection has been lost: the driver makes a new one by itself, also in the middle of a transaction. */
  readonly losses: number;
  readonly traffic: Traffic;
  /** Whether there is a connection, as far as is known: it has answered, and has not been lost since. */
  isConnected: boolean;
}

/** Makes a client; the driver is to call `onclose` whenever its connection is lost. */
export function createClient(open: (onclose: () => void) => Client['sql']): Client {
  const traffic = { due: 0, heard: 0 };
  const client = { losses: 0, isConnected: false, traffic };
  const sql = open(() => {
    client.losses++;
    client.isConnected = false;
  });
  return Object.assign(client, { sql, send: createSend(sql, traffic) });
}

const NONE: unknown[] = [];

/**
 * Rows are gathered here, one by one. Those that the driver resolves with would be garbage only for a collection of the
 * old generation, for which they then make work, see ADR 29.
 */
function createSend(sql: Client['sql'], traffic: Traffic): Send {
  return async (text, params = [], options = {}) => {
    let rows: unknown[] = [];
    traffic.due++;
    try {
      const { count } = await sql.unsafe(text, params, options).forEach((row) => {
        traffic.heard++;
        rows.push(row);
      });
      const answer = { rows, count };
      rows = NONE; // the driver's query holds the function, which holds what this is
      return answer;
    } finally {
      traffic.due--;
      traffic.heard++;
    }
  };
}

/**
 * Runs `work` in a transaction on a client that nobody else uses meanwhile. The driver's own `begin` says `rollback` also to
 * a connection that has gone, which ends the process (https://github.com/porsager/postgres/issues/1154): nothing is sent
 * where the connection has been lost.
 */
export async function inTransaction<T>(client: Client, work: (send: Send) => Promise<T>): Promise<T> {
  await client.send('begin');
  const { losses } = client;
  const isLost = () => client.losses !== losses;
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other: what waits inside the driver would go out on the next connection, without a transaction. */
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

/** Clients that are used by one at a time. */
export interface Clients {
  take(): Client;
  /** Gives one back. Where `error` says that its connection has ended, another one takes its place. */
  give(client: Client, error: unknown): void;
  close(): Promise<void>;
}

/**
 * As many as are used at the same time, each made when it is needed.
 *
 * @param silence milliseconds without a word while an answer is due, after which a connection counts as lost
 */
export function createClients(open: () => Client, silence: number): Clients {
  const all = new Set<Client>();
  const free: Client[] = [];
  let closed = false;
  const watch = watchSilence(silence, all, drop);

  /** What waits for an answer on it fails as on a connection that was cut. */
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
      if (closed) throw new AppError('storage.unavailable', { detail: 'it has been closed' });
      return free.pop() ?? make();
    },
    give(client, error) {
      if (error === null || !endsConnection(error)) {
        client.isConnected ||= error === null;
        free.push(client);
        return;
      }
      drop(client);
    },
    async close() {
      closed = true;
      watch.end();
      await Promise.all(Array.from(all, ({ sql }) => sql.end({ timeout: 5 })));
    },
  };
}
