import { type ErrorCode, isAppError, type Logger } from '@baobab/core';
import { rootCause } from './causes.ts';

/** Failures of what the service depends on. A stack says nothing about them, and every request may meet them. */
const FAULTS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'storage.unavailable',
  'blobs.misconfigured',
  'blobs.unavailable',
  'mail.refused',
  'mail.unavailable',
  'social.unavailable',
]);

/** How long the same fault is not reported again. Milliseconds. */
const QUIET_MS = 60_000;

interface Reported {
  readonly until: number;
  /** How often it has happened since it was reported. */
  count: number;
}

export interface QuietLoggerOptions {
  readonly logger: Logger;
  /** The fault in one line. */
  readonly reasonOf: (error: unknown) => string;
  /** Milliseconds. */
  readonly now: () => number;
}

/**
 * A logger that reports faults of databases, blob stores and other services in one line, at most once a minute each,
 * with the number of those in between. At `debug` it shows every one of them with its stack.
 */
export function createQuietLogger({ logger, reasonOf, now }: QuietLoggerOptions): Logger {
  // As many entries as there are codes of failures and drivers.
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
