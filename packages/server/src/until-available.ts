import { type ErrorCode, isAppError, type Logger } from '@baobab/core';

/** Failures that a start waits out, with their log messages. Any other failure ends the start. */
const AWAITED: Readonly<Partial<Record<ErrorCode, string>>> = {
  'storage.unavailable': 'database unavailable, retrying',
  'blobs.unavailable': 'blob store unavailable, retrying',
};
/** How long a start waits, and how often it retries. Milliseconds. */
const WAIT_MS = 60_000;
const RETRY_MS = 500;

interface Waiting {
  readonly logger: Logger;
  /** Aborts the wait. */
  readonly signal?: AbortSignal;
}

/** The cause of a failure in one line. Drivers and Node put it into different properties. */
function reasonOf(cause: unknown): { readonly kind: string; readonly reason: string } {
  if (!(cause instanceof Error)) return { kind: '', reason: '' };
  const kind = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
  return { kind, reason: cause.message || kind };
}

/**
 * Retries `work` while the database or the blob store is unavailable. Each state is logged once: the same failure is
 * not reported twice in a row.
 *
 * @throws any other failure of `work` at once, and the last one after a minute
 */
export async function untilAvailable<T>(work: () => Promise<T>, { logger, signal }: Waiting): Promise<T> {
  const deadline = Date.now() + WAIT_MS;
  let state = '';
  for (;;) {
    try {
      return await work();
    } catch (err) {
      const message = isAppError(err) ? AWAITED[err.code] : undefined;
      if (!isAppError(err) || message === undefined || Date.now() > deadline) throw err;
      signal?.throwIfAborted();
      const { kind, reason } = reasonOf(err.cause);
      if (state !== `${err.code} ${kind}`) logger.warn({ reason: reason || err.message }, message);
      state = `${err.code} ${kind}`;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
