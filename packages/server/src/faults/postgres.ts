import type { DatabaseConfig } from '../config.ts';
import type { RootCause } from './causes.ts';
import { byCode, type Explanation } from './explanation.ts';

type PostgresConfig = Extract<DatabaseConfig, { kind: 'postgres' }>;

interface Named {
  readonly address: string;
  readonly database: string;
  readonly user: string;
  readonly connections: number;
}

const explanationOf = byCode<(named: Named) => Omit<Explanation, 'cause'>>({
  'ECONNREFUSED ETIMEDOUT EHOSTUNREACH ENETUNREACH ECONNRESET CONNECT_TIMEOUT CONNECTION_CLOSED CONNECTION_DESTROYED':
    ({ address }) => ({
      variable: 'DATABASE_URL',
      problem: `no Postgres server answers at ${address}`,
      remedy: 'start it, correct host and port, or open the firewall',
    }),
  'ENOTFOUND EAI_AGAIN': ({ address }) => ({
    variable: 'DATABASE_URL',
    problem: `the host of ${address} is unknown`,
    remedy: 'correct the host name, or the name service of this machine',
  }),
  '3D000': ({ address, database }) => ({
    variable: 'DATABASE_URL',
    problem: `Postgres at ${address} has no database "${database}"`,
    remedy: 'create it with CREATE DATABASE, or correct the name',
  }),
  '28P01': ({ address, user }) => ({
    variable: 'DATABASE_URL',
    problem: `Postgres at ${address} rejects the name or password of the user "${user}"`,
    remedy: 'correct them, or set the password with ALTER ROLE on the server',
  }),
  '28000': ({ address, user }) => ({
    variable: 'DATABASE_URL',
    problem: `Postgres at ${address} refuses the user "${user}"`,
    remedy: 'create the role, allow it in pg_hba.conf, or correct the user',
  }),
  '42501': ({ database, user }) => ({
    variable: 'DATABASE_URL',
    problem: `the user "${user}" may not create tables in the database "${database}"`,
    remedy: 'make it the owner',
  }),
  '53300': ({ address, connections }) => ({
    variable: 'DATABASE_CONNECTIONS',
    problem: `Postgres at ${address} has no ${connections} connections to spare`,
    remedy: 'lower it, or raise max_connections of the server',
  }),
  '53100': ({ address }) => ({
    variable: 'DATABASE_URL',
    problem: `the disk of the Postgres server at ${address} is full`,
    remedy: 'free space on it',
  }),
});

/** Explains why Postgres cannot be used. Null when the cause is none that an operator can remove. */
export function explainPostgres(
  { code, message }: RootCause,
  { url, connections }: PostgresConfig,
): Explanation | null {
  const { host, pathname, username } = new URL(url);
  const explanation = explanationOf(code)?.({
    address: host === '' ? 'the default address' : host,
    database: decodeURIComponent(pathname.slice(1)),
    user: decodeURIComponent(username),
    connections,
  });
  return explanation === undefined ? null : { ...explanation, cause: message };
}
