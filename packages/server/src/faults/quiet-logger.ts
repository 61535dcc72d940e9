import { type ErrorCode, isAppError, type Logger } from '@baobab/core';
import { rootCause } from './causes.ts';

/** Failures of dependencies. Their stack is not informative, and every request may encounter them. */
const FAULTS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'storage.unavailable',
  'blobs.misconfigured',
  'blobs.unavailable',
  'mail.refused',
  'mail.unavailable',
  'social.unavailable',
]);

/** Time during which the same fault is not reported again, in milliseconds. */
const QUIET_MS = 60_000;

interface Reported {
  readonly until: number;
  /** Number of occurrences since it was reported. */
  count: number;
}

export interface QuietLoggerOptions {
  readonly logger: Logger;
  /** Describes the fault in one line. */
  readonly reasonOf: (error: unknown) => string;
  /** Returns the time in milliseconds. */
  readonly now: () => number;
}

/**
 * Creates a logger that reports faults of databases, blob stores and other dependencies in one line, at most once a
 * minute each, with the number of occurrences in between. At level `debug`, it logs each one with its stack.
 */
export function createQuietLogger({ logger, reasonOf, now }: QuietLoggerOptions): Logger {
  // Has at most one entry per code of failures and drivers.
  const reported = new Map<string, Reported>();

  function report(level: 'warn' | 'error', bindings: object, message: string): void {
    const { err, ...others } = bindings as { readonly err?: unknown };
    if (!isAppError(err) || !FAULTS.has(err.code)) {
      logger[level](bindings, message);
      return;
    }
    logger.debug(bindings, message);
    const key = `${err.code} ${rootCause(err)?.code}`;
    const last = reported.get(key);
    if (last !== undefined && now() < last.until) {
      last.count++;
      return;
    }
    reported.set(key, { until: now() + QUIET_MS, count: 0 });
    const before = last !== undefined && last.count > 0 ? { unreported: last.count } : {};
    logger[level]({ ...others, code: err.code, reason: reasonOf(err), ...before }, message);
  }

  return {
    debug: (bindings, message) => logger.debug(bindings, message),
    info: (bindings, message) => logger.info(bindings, message),
    warn: (bindings, message) => report('warn', bindings, message),
    error: (bindings, message) => report('error', bindings, message),
  };
}
