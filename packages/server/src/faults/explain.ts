import { join } from 'node:path';
import { isAppError } from '@baobab/core';
import type { Config } from '../config.ts';
import { type RootCause, rootCause } from './causes.ts';

type Remedy = (cause: RootCause) => string | null;

/** Makes a table of remedies. Several codes, separated by blanks, may share one. */
function table(remedies: Readonly<Record<string, Remedy>>): Remedy {
  const byCode = new Map(
    Object.entries(remedies).flatMap(([codes, remedy]) => codes.split(' ').map((code) => [code, remedy] as const)),
  );
  return (cause) => byCode.get(cause.code)?.(cause) ?? null;
}

/** What to do about a folder or a file in it. @param variable where its path comes from */
const ofFolder = (variable: string, folder: string): Remedy =>
  table({
    'EACCES EPERM': ({ message }) =>
      `${variable}: the user of this process may not write to ${folder}; change the owner of the folder, or name another one (${message})`,
    EROFS: () => `${variable}: ${folder} is on a read-only file system; mount it writable, or name another folder`,
    'ENOTDIR EEXIST': ({ path }) =>
      `${variable}: ${path ?? folder} is a file where a folder is needed; move the file away, or name another folder`,
    EFBIG: () => `${variable}: ${folder} may not hold larger files; raise the limit on the size of files (ulimit -f)`,
    'ENOSPC EDQUOT': () => `${variable}: the disk of ${folder} is full; free space on it`,
    ENOENT: ({ message }) => `${variable}: ${folder} cannot be created (${message}); correct the path`,
  });

function ofSqlite(config: Config, path: string): Remedy {
  const variable = path === join(config.dataDir, 'baobab.db') ? 'DATA_DIR' : 'DATABASE_URL';
  const folder = ofFolder(variable, path);
  const own = table({
    SQLITE_26: () =>
      `${variable}: ${path} is not an SQLite database; move the file away, name another one, or restore a backup`,
    SQLITE_11: () => `${variable}: the SQLite database ${path} is damaged; restore a backup`,
    SQLITE_13: () => `${variable}: the disk of ${path} is full; free space on it`,
    SQLITE_10: ({ message }) =>
      `${variable}: ${path} cannot be read or written (${message}); check its disk and the free space on it`,
    SQLITE_8: () => `${variable}: ${path} cannot be written; change its owner or its mode`,
    SQLITE_14: ({ message }) => `${variable}: ${path} cannot be opened (${message}); name a file, not a folder`,
    SQLITE_5: () => `${variable}: another program is writing to ${path}; use each file with one program only`,
  });
  return (cause) => own(cause) ?? folder(cause);
}

function ofPostgres(url: string, connections: number): Remedy {
  const { host, pathname, username } = new URL(url);
  const database = decodeURIComponent(pathname.slice(1));
  const user = decodeURIComponent(username);
  const address = host === '' ? 'the default address' : host;
  return table({
    'ECONNREFUSED ETIMEDOUT EHOSTUNREACH ENETUNREACH ECONNRESET CONNECT_TIMEOUT CONNECTION_CLOSED CONNECTION_DESTROYED':
      ({ message }) =>
        `DATABASE_URL: no Postgres server answers at ${address}; start it, or correct the address (${message})`,
    'ENOTFOUND EAI_AGAIN': ({ message }) =>
      `DATABASE_URL: the host of ${address} is unknown; correct the address (${message})`,
    '3D000': ({ message }) =>
      `DATABASE_URL: Postgres at ${address} has no database "${database}"; create it, or correct the name (${message})`,
    '28P01': ({ message }) =>
      `DATABASE_URL: Postgres at ${address} rejects the name or password of the user "${user}"; correct them (${message})`,
    '28000': ({ message }) =>
      `DATABASE_URL: Postgres at ${address} refuses the user "${user}"; create the role, or allow it in pg_hba.conf (${message})`,
    '42501': ({ message }) =>
      `DATABASE_URL: the user "${user}" may not create tables in the database "${database}"; make it the owner (${message})`,
    '53300': ({ message }) =>
      `DATABASE_CONNECTIONS: Postgres at ${address} has no ${connections} connections to spare; lower it, or raise max_connections (${message})`,
    '53100': () => `DATABASE_URL: the disk of the Postgres server at ${address} is full; free space on it`,
  });
}

function ofDatabase(config: Config): Remedy {
  const { database } = config;
  switch (database.kind) {
    case 'memory':
      return () => null;
    case 'sqlite':
      return ofSqlite(config, database.path);
    case 'postgres':
      return ofPostgres(database.url, database.connections);
  }
}

function ofBlobs({ blobs, dataDir }: Config): Remedy {
  if (blobs.kind === 'file')
    return ofFolder(blobs.path === join(dataDir, 'blobs') ? 'DATA_DIR' : 'BLOB_URL', blobs.path);
  return table({
    'ECONNREFUSED ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN': ({ message }) =>
      `BLOB_URL: no S3 server answers; start it, or correct the address (${message})`,
  });
}

/** Words of the failure's detail, and what to do about it. */
const OF_S3: ReadonlyArray<readonly [words: RegExp, variable: string, remedy: string]> = [
  [/no such bucket/, 'BLOB_URL', 'create the bucket, or correct its name'],
  [/another region/, 'BLOB_URL', 'set region to that of the bucket'],
  [/region right/, 'BLOB_URL', 'correct endpoint and region'],
  [/credentials/, 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY', 'set the keys of a user who may use the bucket'],
];

function ofRejection(detail: string): string | null {
  const found = OF_S3.find(([words]) => words.test(detail));
  return found === undefined ? null : `${found[1]}: ${detail}; ${found[2]}`;
}

function ofListening({ port, host, metricsPort }: Config): Remedy {
  const variableOf = (taken: number | null) =>
    taken !== null && taken === metricsPort && taken !== port ? 'METRICS_PORT' : 'PORT';
  return table({
    EADDRINUSE: ({ port: taken }) =>
      `${variableOf(taken)}: another program listens on port ${taken}; stop it, or choose another port`,
    EACCES: ({ port: refused }) =>
      `${variableOf(refused)}: this user may not listen on port ${refused}; choose one above 1023`,
    'EADDRNOTAVAIL ENOTFOUND EAI_AGAIN': () =>
      `HOST: ${host} is not an address of this machine; name one, or 0.0.0.0 for all`,
  });
}

/**
 * What an operator has to do about a failure, in one line that begins with the variable to look at. Null when the
 * failure is none of the operator's.
 */
export function explainFault(error: unknown, config: Config): string | null {
  const cause = rootCause(error);
  if (cause === null) return null;
  if (!isAppError(error)) {
    const isOfSocket =
      error instanceof Error && 'syscall' in error && /^(?:listen|bind|getaddrinfo)$/.test(String(error.syscall));
    if (isOfSocket) return ofListening(config)(cause);
    return cause.path === null ? ofDatabase(config)(cause) : ofFolder('DATA_DIR', config.dataDir)(cause);
  }
  switch (error.code) {
    case 'storage.unavailable':
      return ofDatabase(config)(cause);
    case 'blobs.misconfigured':
      return ofRejection(error.detail ?? '') ?? ofBlobs(config)(cause);
    case 'blobs.unavailable':
      return ofBlobs(config)(cause);
    default:
      return null;
  }
}

/** The failure in one line: what to do about it, or at least what happened. */
export function reasonOf(error: unknown, config: Config): string {
  const explained = explainFault(error, config);
  if (explained !== null) return explained;
  const message = error instanceof Error ? error.message : String(error);
  const cause = rootCause(error)?.message;
  return cause === undefined || cause === message ? message : `${message} (${cause})`;
}
