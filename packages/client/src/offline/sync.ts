import { isBaobabError } from '../errors.ts';
import type { Batch } from '../live/feed.ts';
import { feedOf } from '../live/follow.ts';
import { NO_CRITERIA } from '../query/criteria.ts';
import type { Api } from '../transport/api.ts';
import { sleep } from '../transport/limits.ts';
import { waitBefore } from '../transport/retry.ts';
import type { LocalUser } from './local.ts';
import type { FeedPosition, Pull } from './pull.ts';
import { isTemporary, type Push } from './push.ts';
import type { OfflineStatus } from './types.ts';

interface SyncDeps {
  readonly api: Api;
  readonly push: Push;
  readonly pull: Pull;
  readonly collections: readonly string[];
  /** Called after everything that may be sent has been sent. */
  sent(user: LocalUser): void;
  status(status: OfflineStatus): void;
  error(error: unknown): void;
}

/** Pause after a failure that time does not fix, such as a collection that does not exist. Milliseconds. */
const LONG_MS = 60_000;

/** Returns the milliseconds until the next attempt. @param failure null after a connection that ended */
export function pauseAfter(failure: unknown, failures: number): number {
  if (failure === null) return waitBefore(failures, { retryAfter: null }) ?? 0;
  if (!isBaobabError(failure) || !isTemporary(failure)) return LONG_MS;
  return waitBefore(failures, failure) ?? (failure.retryAfter ?? 0) * 1000;
}

/** Syncs data with the server. */
export function createSync({ api, push, pull, collections, sent, status, error }: SyncDeps) {
  let chain: Promise<unknown> = Promise.resolve();
  /** Wakes the wait for new writes. */
  const idlers = new Set<() => void>();
  /** Ends the pauses after failures. */
  const pauses = new Set<() => void>();
  const wake = (sleepers: Set<() => void>) => {
    for (const one of sleepers) one();
    sleepers.clear();
  };

  /**
   * Runs one step at a time: changes from the feed wait while a write is in flight, so that they cannot overtake its
   * response.
   */
  function alone<T>(task: () => Promise<T>): Promise<T> {
    const result = chain.then(task, task);
    chain = result.catch(() => undefined);
    return result;
  }

  async function pushAll(user: LocalUser, signal: AbortSignal): Promise<void> {
    await push.all(user, signal);
    sent(user);
  }

  async function round(user: LocalUser, signal: AbortSignal): Promise<void> {
    await alone(() => pushAll(user, signal));
    await alone(() => pull.all(user, signal));
  }

  /** Stores a batch from the stream. Resolves to the position after it; null if the stream is no longer usable. */
  async function takeBatch(user: LocalUser, from: FeedPosition, batch: Batch): Promise<FeedPosition | null> {
    if (batch.isStale) {
      await alone(() => pull.restart(user));
      return null;
    }
    if (batch.changes.length === 0) return from;
    return alone(() => pull.take(user, from, { ...batch, isReady: false }));
  }

  /** Follows the feed until the connection ends or everything must be listed again. */
  async function follow(user: LocalUser, signal: AbortSignal, ready: () => void): Promise<void> {
    let place: FeedPosition | null = await pull.place(user);
    const request = { collection: collections, path: '', criteria: NO_CRITERIA };
    for await (const batch of feedOf({ api, request, signal }, place.cursor)) {
      if (batch.isReady) ready();
      place = await takeBatch(user, place, batch);
      if (place === null || signal.aborted) return;
    }
  }

  /** Resolves when there may be something to send. */
  const woken = () =>
    new Promise<void>((resolve) => {
      idlers.add(resolve);
    });

  /** Stays up to date until the connection ends. Resolves to true if there was a connection. */
  async function stay(user: LocalUser, signal: AbortSignal): Promise<boolean> {
    const controller = new AbortController();
    const stop = () => controller.abort();
    signal.addEventListener('abort', stop);
    const stream = { isReady: false, isOver: false, failure: null as unknown };
    const following = follow(user, controller.signal, () => {
      stream.isReady = true;
    })
      .catch((failure) => {
        stream.failure = failure;
      })
      .finally(() => {
        stream.isOver = true;
        wake(idlers);
      });
    try {
      while (!(stream.isOver || signal.aborted)) {
        const next = woken();
        if (push.canSend()) {
          status('syncing');
          await alone(() => pushAll(user, controller.signal));
        }
        status('idle');
        if (!stream.isOver) await next;
      }
    } finally {
      stop();
      signal.removeEventListener('abort', stop);
      await following;
    }
    if (stream.failure !== null && !signal.aborted) throw stream.failure;
    return stream.isReady;
  }

  async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    const controller = new AbortController();
    const stop = () => controller.abort();
    signal.addEventListener('abort', stop);
    pauses.add(stop);
    await sleep(milliseconds, controller.signal).catch(() => undefined);
    pauses.delete(stop);
    signal.removeEventListener('abort', stop);
  }

  /**
   * Runs one connection. Resolves to the pause before the next one and the number of failures since the last success.
   */
  async function connect(user: LocalUser, signal: AbortSignal, failures: number): Promise<readonly [number, number]> {
    try {
      status('syncing');
      await round(user, signal);
      const failed = (await stay(user, signal)) ? 0 : failures + 1;
      return [pauseAfter(null, failed), failed];
    } catch (failure) {
      if (signal.aborted) return [0, 0];
      error(failure);
      status('offline');
      return [pauseAfter(failure, failures), failures + 1];
    }
  }

  return {
    /** Signals that there may be something to send. Does not shorten the pause after a failure. */
    wake: () => wake(idlers),
    /** Signals that the server may be reachable again. */
    retry: () => wake(pauses),
    round,
    /** Syncs data until the signal fires. */
    async run(user: LocalUser, signal: AbortSignal): Promise<void> {
      for (let [wait, failures] = [0, 0]; !signal.aborted; ) {
        [wait, failures] = await connect(user, signal, failures);
        if (!signal.aborted) await pause(wait, signal);
      }
    },
  };
}
