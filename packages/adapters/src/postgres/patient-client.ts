import postgres from 'postgres';
import { type Client, createClient } from './clients.ts';
import { TYPES } from './types.ts';

const CONNECT_TIMEOUT_S = 5;

/**
 * Creates a client for changes to the schema. Its statements may take as long as they need, and its connection lasts
 * until it is closed, because the schema lock belongs to the connection.
 *
 * @param name the name of the connection in `pg_stat_activity`
 */
export const createPatientClient = (url: string, name: string): Client =>
  createClient((onclose) =>
    postgres(url, {
      max: 1,
      onclose,
      types: TYPES,
      prepare: false,
      fetch_types: false,
      idle_timeout: 0,
      max_lifetime: null,
      connect_timeout: CONNECT_TIMEOUT_S,
      // The server notices a dead machine within a minute and releases its lock.
      connection: {
        application_name: name,
        statement_timeout: 0,
        ...{ tcp_keepalives_idle: 30, tcp_keepalives_interval: 10, tcp_keepalives_count: 3 },
      },
      onnotice: () => undefined,
    }),
  );
