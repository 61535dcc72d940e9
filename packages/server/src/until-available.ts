import { type ErrorCode, isAppError, type Logger } from '@baobab/core';

/** What a start waits for, and what the log says meanwhile; anything else ends it. */
const AWAITED: Readonly<Partial<Record<ErrorCode, string>>> = {
  'storage.unavailable': 'the storage is not there yet',
  'blobs.unavailable': 'the store of files is not there yet',
};
/** How long a start waits, and how often it tries. Milliseconds. */
const WAIT_MS = 60_000;
const RETRY_MS = 500;

interface Waiting {
  readonly logger: Logger;
  /** Gives up. */
  readonly signal?: AbortSignal;
}

/** What a failure came from, in one line: drivers and Node put it into different members. */
function reasonOf(cause: unknown): { readonly kind: string; readonly reason: string } {
  if (!(cause instanceof Error)) return { kind: '', reason: '' };
  const kind = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
  return { kind, reason: cause.message || kind };
}

/**
 * Tries again and again while the database or the store of files is away. The log has one line for each state: the same
 * failure is not reported twice in a row.
 *
 * @throws what `work` throws when it is of another kind, or when a minute has passed
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
