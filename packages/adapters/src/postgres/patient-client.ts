import { type Client, createClient } from './clients.ts';
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
