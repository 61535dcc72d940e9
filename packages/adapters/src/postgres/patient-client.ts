import { type Client, createClient } from './clients.ts';
import type { Servers } from './servers.ts';

/** The server notices a dead machine within a minute and releases its locks. */
const SETTINGS = {
  statement_timeout: 0,
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
};

/**
 * Creates a client for changes to the schema. Its statements may take as long as they need, and its connection lasts
 * until it is closed, because the schema lock belongs to the connection.
 *
 * @param name the name of the connection in `pg_stat_activity`
 */
export const createPatientClient = (servers: Servers, name: string): Client =>
  createClient((options) => servers.connect({ ...options, name, settings: SETTINGS, prepare: false }));
