import { AppError, isAppError } from '@baobab/core';
import postgres from 'postgres';
import { UNIQUE_PREFIX } from '../sql/indexes/indexes.ts';

const FOREIGN_KEY_VIOLATION = '23503';
const UNIQUE_VIOLATION = '23505';
/** Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNDEFINED_TABLE = '42P01';
const QUERY_CANCELED = '57014';
/** A wait for a lock exceeded `lock_timeout`, which sessions of a pooler may have. */
const LOCK_NOT_AVAILABLE = '55P03';

/** The server accepts no writes: it is now a standby, or was made read-only. */
const READ_ONLY = '25006';
/** A transaction was idle for too long, or took too long. */
const TRANSACTION_TIMEOUTS = new Set(['25P03', '25P04']);
/** The schema was removed, for example to restore a backup. */
const GONE = new Set([UNDEFINED_TABLE, '3F000']);
/** A prepared statement that the server does not know, or one whose name is already in use. */
const FORGOTTEN = new Set(['26000', '42P05']);
/** Routine of the server that reports prepared statements made for tables that have changed since. */
const OUTDATED_PLAN = 'RevalidateCachedQuery';

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/**
 * True if the server reported the error. The code alone is ambiguous: system codes such as `EPIPE` look like an
 * SQLSTATE.
 */
const isFromServer = (error: unknown): boolean => error instanceof postgres.PostgresError;

/** Connection errors of the system, the driver and TLS (a certificate may be renewed). */
const OF_CONNECTION =
  /^(?:E[A-Z0-9_]+|CONNECTION_[A-Z_]+|CONNECT_TIMEOUT|AUTH_[A-Z_]+|SASL_[A-Z_0-9]+|(?:CERT|CRL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)_[A-Z_]+)$/;
/** Node's errors for invalid calls, which are not connection errors. */
const OF_PROGRAM = /^ERR_(?:INVALID|MISSING|OUT_OF_RANGE|UNKNOWN)/;

/**
 * SQLSTATE classes that mean the server is currently unavailable: connection, authorization (a role or its password
 * may still be created), no such database (likewise), conflicts with another transaction, resources, operator
 * intervention, system.
 */
const UNAVAILABLE_CLASSES = new Set(['08', '28', '3D', '40', '53', '57', '58']);

const NOT_SUPPORTED = '0A000';
/**
 * Error for a generic plan. It means that documents were just distributed, and this connection is about to be
 * replaced.
 */
const PLANNED_WITHOUT_VALUES = 'could not create distributed plan';
const isOfOldPlan = (error: unknown): boolean =>
  codeOf(error) === NOT_SUPPORTED && error instanceof Error && error.message === PLANNED_WITHOUT_VALUES;

/** Returns true if statements fail on this connection until it is replaced. */
function isOutdated(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  if (code === READ_ONLY || FORGOTTEN.has(code)) return true;
  return code === NOT_SUPPORTED && error instanceof Error && 'routine' in error && error.routine === OUTDATED_PLAN;
}

const INTERNAL_ERROR = 'XX000';
/** Messages of Citus, without a specific code, for a worker that is lost or unreachable. */
const LOST_WORKER =
  /^(?:could not (?:commit transaction for shard|make changes to shard|establish any connections)|failure on connection marked as essential|failed to (?:assign|execute) )/;
const isOfLostWorker = (error: unknown): boolean =>
  codeOf(error) === INTERNAL_ERROR && error instanceof Error && LOST_WORKER.test(error.message);

/**
 * The only place that translates driver errors. Constraint violations are left to the stores, which know their
 * meaning.
 */
export function translate(error: unknown): unknown {
  const isPassing = isFromServer(error)
    ? UNAVAILABLE_CLASSES.has((codeOf(error) ?? '').slice(0, 2)) ||
      GONE.has(codeOf(error) ?? '') ||
      TRANSACTION_TIMEOUTS.has(codeOf(error) ?? '') ||
      codeOf(error) === LOCK_NOT_AVAILABLE ||
      isOutdated(error) ||
      isOfOldPlan(error) ||
      isOfLostWorker(error)
    : isOfConnection(error);
  return isPassing ? new AppError('storage.unavailable', { cause: error }) : error;
}

/** Returns true for a connection error: refused, cut, timed out, or closed by this process. */
function isOfConnection(error: unknown): boolean {
  const code = codeOf(error);
  return code !== null && !isFromServer(error) && OF_CONNECTION.test(code) && !OF_PROGRAM.test(code);
}

/** Serialization failure and deadlock: the server rolled the transaction back, and a retry may succeed. */
const SERIALIZATION_FAILURE = '40001';
const GIVEN_UP = new Set([SERIALIZATION_FAILURE, '40P01']);

/** Creates an error that causes a retry of the transaction. */
export const createGivenUp = (message: string, cause: unknown): Error =>
  Object.assign(new Error(message, { cause }), { code: SERIALIZATION_FAILURE });

/** Returns true if the server rolled a transaction back in favor of another. `error` may be ours or the driver's. */
export function isGivenUp(error: unknown): boolean {
  let cause = error;
  while (isAppError(cause)) cause = cause.cause;
  return GIVEN_UP.has(codeOf(cause) ?? '');
}

/** Returns true if a statement exceeded its time limit. `error` may be ours or the driver's. */
export function isTimedOut(error: unknown): boolean {
  return codeOf(isAppError(error) ? error.cause : error) === QUERY_CANCELED;
}

/** Returns true if another document has the same values in a unique index. Workers append to the names of indexes. */
export const isDuplicateDocument = (error: unknown) =>
  isUniqueViolation(error) && error instanceof Error && error.message.includes(UNIQUE_PREFIX);

export const isForeignKeyViolation = (error: unknown) => codeOf(error) === FOREIGN_KEY_VIOLATION;

export const isUniqueViolation = (error: unknown) => codeOf(error) === UNIQUE_VIOLATION;

/** The disk is full, or a file cannot be read or written. */
const DISK_FAULTS = new Set(['53100', '58030']);

/** Returns true if the disk of the server is full or broken. `error` may be ours or the driver's. */
export const isDiskFault = (error: unknown) => DISK_FAULTS.has(codeOf(isAppError(error) ? error.cause : error) ?? '');

/** True if a statement references a table that does not exist. */
export const isMissing = (error: unknown) => codeOf(error) === UNDEFINED_TABLE;

/** Returns true if a wait for a lock exceeded its limit. `error` may be ours or the driver's. */
export const isLockTimeout = (error: unknown) => codeOf(isAppError(error) ? error.cause : error) === LOCK_NOT_AVAILABLE;

/** Returns true if a write failed because the server accepts none. `error` may be ours or the driver's. */
export function isReadOnly(error: unknown): boolean {
  const cause = isAppError(error) ? error.cause : error;
  return isFromServer(cause) && codeOf(cause) === READ_ONLY;
}

/**
 * Returns true if the connection is unusable after this error, ours or the driver's: the server closes it, it is
 * lost, or statements would fail on it again.
 */
export function endsConnection(error: unknown): boolean {
  const cause = isAppError(error) ? error.cause : error;
  if (!isFromServer(cause)) return isOfConnection(cause);
  if (isOutdated(cause)) return true;
  const severity = cause instanceof Error && 'severity' in cause ? cause.severity : null;
  return severity === 'FATAL' || severity === 'PANIC';
}

/**
 * Maximum number of attempts for work that the server rolls back in favor of another transaction. One side of a
 * deadlock always proceeds.
 */
export const ATTEMPTS = 4;

/**
 * On Citus, each write to a reference table locks that table and those that it references, so that transactions
 * conflict more often.
 */
export const ATTEMPTS_WHERE_DISTRIBUTED = 12;

/** Retries `work` from the start if the server rolls it back. */
export async function withRetry<T>(work: () => Promise<T>, attempts = ATTEMPTS): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !isGivenUp(error)) throw error;
    }
  }
}

/** Translates the driver's errors, both of statements and of commits. */
export async function translating<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translate(error);
  }
}
