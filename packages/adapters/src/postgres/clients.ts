import { AppError } from '@baobab/core';
import { endsConnection, isReadOnly } from './errors.ts';
import { type Answer, createSend, type Send, type Traffic } from './send.ts';
import type { ConnectOptions, PostgresSql } from './servers.ts';
import { watchSilence } from './silence.ts';
import { connectionError } from './socket.ts';

/** A driver client with one connection, which is never replaced: transactions and settings belong to it. */
export interface Client {
  /** Resolves when the connection is open and set up. @throws the driver's errors, see `Servers.connect` */
  readonly opened: Promise<PostgresSql>;
  /** Sends a statement as soon as the connection is open. */
  readonly send: Send;
  /** True if the connection is lost. Everything sent on it then fails. */
  readonly isLost: boolean;
  readonly traffic: Traffic;
  /** Closes the connection within `seconds`. Statements that are still waiting then fail. */
  end(seconds: number): Promise<void>;
}

/** Opens a client, which must call `onclose` when its connection is lost. */
export type OpenClient = (options: Required<Pick<ConnectOptions, 'onclose' | 'signal'>>) => Promise<PostgresSql>;

const MS = 1_000;

/** Creates a client and starts connecting. */
export function createClient(open: OpenClient): Client {
  const traffic = { due: 0, heard: 0 };
  const aborting = new AbortController();
  let isLost = false;
  let direct: Send | null = null;

  async function begin(): Promise<PostgresSql> {
    try {
      const sql = await open({ onclose, signal: aborting.signal });
      direct = createSend(sql, traffic);
      return sql;
    } catch (error) {
      isLost = true;
      throw error;
    }
  }

  /**
   * On a connection reset, the driver rejects the waiting statements, and only later notices the closed socket.
   * Statements sent in between would wait until the silence of the connection is detected. Ending the client rejects
   * them.
   */
  function onclose(): void {
    isLost = true;
    setImmediate(() => void opened.then((sql) => sql.end({ timeout: 0 })).catch(() => undefined));
  }

  const opened = begin();
  opened.catch(() => undefined); // reported to the senders
  const late: Send = async (...args) => {
    await opened;
    return client.send(...args);
  };
  const client: Client = {
    opened,
    send: (text, params, options) => (direct ?? late)(text, params, options),
    get isLost() {
      return isLost;
    },
    traffic,
    async end(seconds) {
      const limit = setTimeout(
        () =>
          aborting.abort(connectionError('CONNECTION_ENDED', 'the connection was closed while it was being opened')),
        seconds * MS,
      );
      try {
        const sql = await opened.catch(() => null);
        await sql?.end({ timeout: seconds });
      } finally {
        clearTimeout(limit);
      }
    },
  };
  return client;
}

/** Begins a transaction whose statements all read the same state of the database. */
export const BEGIN_SNAPSHOT = 'begin isolation level repeatable read read only';
export type BeginText = 'begin' | typeof BEGIN_SNAPSHOT;

/**
 * Runs `work` in a transaction on a client without other users. The driver's `begin` sends `rollback` even on a lost
 * connection, which ends the process (https://github.com/porsager/postgres/issues/1154). Nothing is sent here after
 * the connection is lost.
 *
 * @throws `storage.unavailable` if the connection is lost in the transaction
 */
export async function inTransaction<T>(
  client: Client,
  work: (send: Send) => Promise<T>,
  begin: BeginText = 'begin',
): Promise<T> {
  await client.send(begin);
  let last: Promise<unknown> = Promise.resolve();

  /**
   * Sends statements one by one. A statement queued in the driver would be sent on the next connection, outside the
   * transaction.
   */
  async function next(before: Promise<unknown>, args: Parameters<Send>): Promise<Answer> {
    await before.catch(() => undefined);
    if (client.isLost)
      throw new AppError('storage.unavailable', { detail: 'the connection was lost in a transaction' });
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
    if (!client.isLost && !endsConnection(error)) await send('rollback');
    throw error;
  }
}

/** A pool of clients, each used by one caller at a time. */
export interface Clients {
  take(): Client;
  /**
   * Returns a client to the pool. If its connection is lost or `error` ends it, the client is dropped and later
   * replaced.
   */
  give(client: Client, error: unknown): void;
  /** Replaces each client as soon as it is free: new connections have other settings. */
  renew(): void;
  close(): Promise<void>;
}

/** Maximum time for running statements to finish when the clients are closed, in seconds. */
const CLOSE_S = 5;
/** Minimum time between two replacements of all clients because a server accepts no writes, in milliseconds. */
const RENEW_MS = 1_000;

/**
 * Creates clients on demand, as many as are in use concurrently.
 *
 * @param silence milliseconds without any data while an answer is due, after which a connection counts as lost
 * @param outdated called when all clients are replaced because their server no longer accepts writes
 */
export function createClients(open: () => Client, silence: number, outdated: () => void = () => undefined): Clients {
  const all = new Set<Client>();
  const free: Client[] = [];
  const old = new WeakSet<Client>();
  let closed = false;
  let renewed = Number.NEGATIVE_INFINITY;
  const watch = watchSilence(silence, all, drop);

  /** Statements waiting for an answer on it fail as on a lost connection. */
  function drop(client: Client): void {
    all.delete(client);
    client.end(0).catch(() => undefined);
  }

  function make(): Client {
    const client = open();
    all.add(client);
    return client;
  }

  function renew(): void {
    for (const client of all) old.add(client);
    for (const client of free.splice(0)) drop(client);
  }

  /** After a failover, all other clients are connected to the former primary too. */
  function renewAfter(error: unknown): void {
    if (!isReadOnly(error) || performance.now() - renewed < RENEW_MS) return;
    renewed = performance.now();
    renew();
    outdated();
  }

  return {
    take() {
      if (closed) throw new AppError('storage.unavailable', { detail: 'the connection pool is closed' });
      for (let client = free.pop(); client !== undefined; client = free.pop()) {
        if (!client.isLost) return client;
        drop(client);
      }
      return make();
    },
    give(client, error) {
      if (client.isLost || old.has(client) || (error !== null && endsConnection(error))) {
        drop(client);
        renewAfter(error);
      } else free.push(client);
    },
    renew,
    async close() {
      closed = true;
      watch.end();
      await Promise.all(Array.from(all, (client) => client.end(CLOSE_S)));
    },
  };
}
