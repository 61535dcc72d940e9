import { parsePostgresUrl, placeOf } from '../composition/postgres-url.ts';
import type { DatabaseConfig } from '../config.ts';
import type { RootCause } from './causes.ts';
import { byCode, type Explanation } from './explanation.ts';

type PostgresConfig = Extract<DatabaseConfig, { kind: 'postgres' }>;

interface Named {
  readonly address: string;
  readonly database: string;
  readonly user: string;
  readonly connections: number;
  /** File with the trusted certificate authorities; null for those of Node. */
  readonly rootCert: string | null;
  readonly bindsChannel: boolean;
}

const AUTHORITIES =
  'name the file with its authority in sslrootcert= of the URL, or in NODE_EXTRA_CA_CERTS, or use a certificate of a known authority';

const VERIFIED_INSTEAD = ', which channel_binding=require demands';

const explanationOf = byCode<
  (named: Named) => Omit<Explanation, 'cause' | 'variable'> & { readonly variable?: string }
>({
  'ECONNREFUSED ETIMEDOUT EHOSTUNREACH ENETUNREACH ECONNRESET CONNECT_TIMEOUT CONNECTION_CLOSED CONNECTION_DESTROYED CONNECTION_ENDED':
    ({ address }) => ({
      problem: `no Postgres server answers at ${address}`,
      remedy: 'start it, correct host and port, or open the firewall',
    }),
  'ENOTFOUND EAI_AGAIN': ({ address }) => ({
    problem: `the host of ${address} is unknown`,
    remedy: 'correct the host name, or the name service of this machine',
  }),
  CONNECTION_NOT_POSTGRES: ({ address }) => ({
    problem: `the server at ${address} is not Postgres`,
    remedy: 'correct host and port',
  }),
  CONNECTION_NO_SERVER: ({ address }) => ({
    problem: `none of the servers at ${address} can be used`,
    remedy: 'start them, correct hosts and ports, or the parameter target_session_attrs',
  }),
  'CONNECTION_UNSUITABLE 25006': ({ address }) => ({
    problem: `Postgres at ${address} is not in the required state`,
    remedy:
      'name the primary server, promote the standby, reset default_transaction_read_only, or correct the parameter target_session_attrs',
  }),
  CONNECTION_UNENCRYPTED: ({ address }) => ({
    problem: `Postgres at ${address} does not encrypt connections`,
    remedy: 'switch ssl on in its configuration, or correct the parameter sslmode',
  }),
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY SELF_SIGNED_CERT_IN_CHAIN DEPTH_ZERO_SELF_SIGNED_CERT CERT_UNTRUSTED':
    ({ address, rootCert, bindsChannel }) => ({
      problem: `the certificate of Postgres at ${address} comes from an authority that is not trusted${bindsChannel ? VERIFIED_INSTEAD : ''}`,
      remedy: rootCert === null || rootCert === 'system' ? AUTHORITIES : `put its authority into ${rootCert}`,
    }),
  ERR_TLS_CERT_ALTNAME_INVALID: ({ address }) => ({
    problem: `the certificate of Postgres at ${address} belongs to another name`,
    remedy: 'use the name of the certificate as the host, or sslmode=verify-ca, which accepts any name',
  }),
  'CERT_HAS_EXPIRED CERT_NOT_YET_VALID': ({ address }) => ({
    problem: `the certificate of Postgres at ${address} has expired or is not valid yet`,
    remedy: 'renew it, and check the clock of this machine',
  }),
  'ENOENT EACCES': ({ address }) => ({
    problem: `a file or socket for the connection to Postgres at ${address} cannot be opened`,
    remedy: 'correct the host, or sslrootcert, sslcert, sslkey or sslcrl of the URL',
  }),
  '08P01': ({ address }) => ({
    problem: `the server or pooler at ${address} refuses the connection`,
    remedy: 'remove the parameter that it names, or allow it with ignore_startup_parameters of PgBouncer',
  }),
  '3D000': ({ address, database }) => ({
    problem: `Postgres at ${address} has no database "${database}"`,
    remedy: 'create it with CREATE DATABASE, or correct the name',
  }),
  '28P01': ({ address, user }) => ({
    problem: `Postgres at ${address} rejects the name or password of the user "${user}"`,
    remedy: 'correct them, or set the password with ALTER ROLE on the server',
  }),
  '28000': ({ address, user }) => ({
    problem: `Postgres at ${address} refuses the user "${user}"`,
    remedy: 'create the role, allow it in pg_hba.conf, or correct the user, sslmode, sslcert or sslkey',
  }),
  '42501': ({ database, user }) => ({
    problem: `the user "${user}" may not create tables in the database "${database}"`,
    remedy: 'make it the owner',
  }),
  '53300': ({ address, connections }) => ({
    variable: 'DATABASE_CONNECTIONS',
    problem: `Postgres at ${address} does not have ${connections} free connections`,
    remedy: 'lower it, or raise max_connections of the server or the connection limit of the user or the database',
  }),
  '53100': ({ address }) => ({
    problem: `the disk of the Postgres server at ${address} is full`,
    remedy: 'free space on it',
  }),
  '42P01 3F000': ({ database }) => ({
    problem: `the database "${database}" has no tables of Baobab`,
    remedy: 'restore a backup, or start the program again, which creates them',
  }),
});

/** Explains why Postgres cannot be used. Null if an operator cannot fix the cause. */
export function explainPostgres(
  { code, message, variable }: RootCause,
  { url, listenUrl, connections }: PostgresConfig,
): Explanation | null {
  const target = parsePostgresUrl(variable === 'DATABASE_LISTEN_URL' && listenUrl !== null ? listenUrl : url);
  const explanation = explanationOf(code)?.({
    address: placeOf(target),
    database: target.database ?? target.user ?? '',
    user: target.user ?? '',
    connections,
    rootCert: target.tls.rootCert,
    bindsChannel: target.tls.bindsChannel,
  });
  return explanation === undefined ? null : { variable: variable ?? 'DATABASE_URL', ...explanation, cause: message };
}
