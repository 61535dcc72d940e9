import { isAppError } from '@baobab/core';
import type { Config } from '../config.ts';
import { type DataFolder, folderOf, variableOf } from '../data-folders.ts';
import { type RootCause, rootCause } from './causes.ts';
import { byCode, type Explanation, lineOf } from './explanation.ts';
import { explainPostgres } from './postgres.ts';
import { explainS3 } from './s3.ts';

type Remedy = (cause: RootCause) => string | null;

const lineOrNull = (explanation: Explanation | null) => (explanation === null ? null : lineOf(explanation));

function table(remedies: Readonly<Record<string, Remedy>>): Remedy {
  const remedyOf = byCode(remedies);
  return (cause) => remedyOf(cause.code)?.(cause) ?? null;
}

/** Returns the fixes for faults of a folder or a file in it. */
const ofFolder = ({ path: folder, variable }: DataFolder): Remedy =>
  table({
    'EACCES EPERM': ({ message }) =>
      `${variable}: the user of this process may not write to ${folder}; change the owner of the folder, or name another one (${message})`,
    EROFS: () => `${variable}: ${folder} is on a read-only file system; mount it writable, or name another folder`,
    'ENOTDIR EEXIST': ({ path }) =>
      `${variable}: ${path ?? folder} is a file where a folder is needed; move the file away, or name another folder`,
    EFBIG: () => `${variable}: ${folder} does not allow larger files; raise the limit on the size of files (ulimit -f)`,
    'ENOSPC EDQUOT': () => `${variable}: the disk of ${folder} is full; free space on it`,
    ENOENT: ({ message }) => `${variable}: ${folder} cannot be created (${message}); correct the path`,
  });

function ofSqlite(config: Config, path: string): Remedy {
  const variable = variableOf.database(path, config);
  const folder = ofFolder({ path, variable });
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

function ofDatabase(config: Config): Remedy {
  const { database } = config;
  switch (database.kind) {
    case 'memory':
      return () => null;
    case 'sqlite':
      return ofSqlite(config, database.path);
    case 'postgres':
      return (cause) => lineOrNull(explainPostgres(cause, database));
  }
}

function ofBlobs(error: unknown, cause: RootCause, config: Config): string | null {
  const { blobs } = config;
  switch (blobs.kind) {
    case 'memory':
      return null;
    case 'file':
      return ofFolder({ path: blobs.path, variable: variableOf.blobs(blobs.path, config) })(cause);
    case 's3':
      return lineOrNull(explainS3(error));
  }
}

function ofListening({ port, metricsPort }: Config): Remedy {
  const variableOfPort = (taken: number | null) =>
    taken !== null && taken === metricsPort && taken !== port ? 'METRICS_PORT' : 'PORT';
  return table({
    EADDRINUSE: ({ port: taken }) =>
      `${variableOfPort(taken)}: another program listens on port ${taken}; stop it, or choose another port`,
    EACCES: ({ port: refused }) =>
      `${variableOfPort(refused)}: this user may not listen on port ${refused}; choose one above 1023`,
    'EADDRNOTAVAIL ENOTFOUND EAI_AGAIN': () =>
      'HOST: this is not an address of this machine; name one, or 0.0.0.0 for all',
  });
}

/**
 * Returns the fix for a failure in one line that begins with the variable to check. Null if an operator cannot fix it.
 */
export function explainFault(error: unknown, config: Config): string | null {
  const cause = rootCause(error);
  if (cause === null) return null;
  if (!isAppError(error)) {
    const isOfSocket =
      error instanceof Error && 'syscall' in error && /^(?:listen|bind|getaddrinfo)$/.test(String(error.syscall));
    if (isOfSocket) return ofListening(config)(cause);
    return cause.path === null ? ofDatabase(config)(cause) : ofFolder(folderOf(cause.path, config))(cause);
  }
  switch (error.code) {
    case 'storage.unavailable':
      return ofDatabase(config)(cause);
    case 'blobs.misconfigured':
    case 'blobs.unavailable':
      return ofBlobs(error, cause, config);
    default:
      return null;
  }
}

/** Describes a failure in one line, with its fix if known. */
export function reasonOf(error: unknown, config: Config): string {
  const explained = explainFault(error, config);
  if (explained !== null) return explained;
  const message = error instanceof Error ? error.message : String(error);
  const cause = rootCause(error)?.message;
  return cause === undefined || cause === message ? message : `${message} (${cause})`;
}
