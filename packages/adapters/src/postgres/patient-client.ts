import { AppError } from '@baobab/core';
import { type Client, createClient } from './clients.ts';
import { translating } from './errors.ts';
import type { Servers } from './servers.ts';

/** The server detects a dead machine within a minute and releases its locks. */
const SETTINGS = {
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
};

/**
 * Creates a client for schema changes. Its statements have no time limit, and its connection remains open until it is
 * closed, because it owns the schema lock.
 *
 * @param name name of the connection in `pg_stat_activity`
 */
export const createPatientClient = (servers: Servers, name: string): Client =>
  createClient((options) => servers.connect({ ...options, name, settings: SETTINGS, prepare: false }));

/** Creates a function that runs work on a patient client of its own. `close` ends the connections of running work. */
export function createPatientClients(...[servers, name]: Parameters<typeof createPatientClient>) {
  const open = new Set<Client>();
  let closed = false;
  return {
    async using<T>(work: (client: Client) => Promise<T>): Promise<T> {
      if (closed) throw new AppError('storage.unavailable', { detail: 'the database adapter is closed' });
      const client = createPatientClient(servers, name);
      open.add(client);
      try {
        return await translating(work(client));
      } finally {
        open.delete(client);
        await client.end(1);
      }
    },
    async close(): Promise<void> {
      closed = true;
      await Promise.all(Array.from(open, (client) => client.end(0)));
    },
  };
}
