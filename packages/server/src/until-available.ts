import { type ErrorCode, isAppError, type Logger } from '@baobab/core';
import { rootCause } from './faults/causes.ts';

/** Failures during which a start waits, with their log messages. Any other failure ends the start. */
const AWAITED: Readonly<Partial<Record<ErrorCode, string>>> = {
  'storage.unavailable': 'database unavailable, retrying',
  'blobs.unavailable': 'blob store unavailable, retrying',
};
/** Maximum wait of a start, in milliseconds. */
const WAIT_MS = 60_000;
/** First and longest wait between two attempts, in milliseconds. Each is twice as long as the previous one. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 4_000;

interface Waiting {
  readonly logger: Logger;
  /** Describes the failure in one line. */
  readonly reasonOf: (error: unknown) => string;
  /** Aborts the wait. */
  readonly signal?: AbortSignal;
}

/**
 * Retries `work` while the database or the blob store is unavailable. Each state is logged once, with the wait until
 * the next attempt; a repeated failure is not logged again.
 *
 * @throws any other failure of `work` immediately, and the last one after a minute
 */
export async function untilAvailable<T>(work: () => Promise<T>, { logger, reasonOf, signal }: Waiting): Promise<T> {
  const deadline = performance.now() + WAIT_MS;
  let state = '';
  let wait = FIRST_WAIT_MS;
  for (;;) {
    try {
      return await work();
    } catch (err) {
      const message = isAppError(err) ? AWAITED[err.code] : undefined;
      if (!isAppError(err) || message === undefined || performance.now() > deadline) throw err;
      signal?.throwIfAborted();
      const found = `${err.code} ${rootCause(err)?.code}`;
      if (state !== found) {
        wait = FIRST_WAIT_MS;
        logger.warn({ reason: reasonOf(err), retryInMs: wait }, message);
      }
      state = found;
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(LONGEST_WAIT_MS, 2 * wait);
    }
  }
}
