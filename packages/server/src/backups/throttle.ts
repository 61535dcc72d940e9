import type { ArchiveSource, Blobs, WriteWatch } from '@baobab/core';

/** Slows work down with pauses, so that other processes on the machine take precedence. */
export interface Throttle {
  /** Call this after each chunk of work. */
  pause(): Promise<void>;
}

/** Size of reads from a database, in characters. Each occupies the database for a fraction of a millisecond. */
const CHUNK_SIZE = 16_384;

/** Factor while the database is under load; bench/TRANSFER.md shows the effect on concurrent servers. */
const FACTOR_UNDER_LOAD = 12;
/** Longest of these pauses, in milliseconds. On a busy server a backup takes at most this long for each chunk left. */
const MAX_PAUSE_MS = 250;
/** Interval at which the load of the database is measured, in milliseconds. */
const LOOK_INTERVAL_MS = 100;
/** Time for which a database counts as busy after a sign of load, in milliseconds. */
const BUSY_MS = 1_000;
/** Response time of a trivial statement above which the database or machine counts as busy, in milliseconds. */
const SLOW_MS = 20;

/**
 * Length of a pause as a multiple of the time worked (including waits for the disk); 0 for no pauses. A function is
 * called after each chunk, and its pauses are limited.
 */
export type Factor = number | (() => number | Promise<number>);

/** Resolves after `ms` milliseconds, or when `signal` aborts. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake);
  });
}

/** @param signal ends the pauses */
export function createThrottle(factor: Factor, signal?: AbortSignal): Throttle {
  let begun = performance.now();
  return {
    async pause() {
      const worked = performance.now() - begun;
      const length = typeof factor === 'number' ? factor * worked : Math.min((await factor()) * worked, MAX_PAUSE_MS);
      if (length > 0) await sleep(length, signal);
      begun = performance.now();
    },
  };
}

/**
 * Pauses only while the database is busy: while other clients write to it, or while it responds slowly. Readers need no
 * pauses, because the backup runs at a low priority and takes no locks that block them.
 */
export function underLoad(watch: WriteWatch): () => Promise<number> {
  let looked = performance.now();
  // The load is not known yet.
  let busyUntil = looked + LOOK_INTERVAL_MS;

  async function look(): Promise<void> {
    const begun = performance.now();
    // A failing watch says nothing about the load. If the database is gone, the backup itself reports it.
    const hasWritten = await watch.hasWritten().catch(() => true);
    looked = performance.now();
    if (hasWritten || looked - begun > SLOW_MS) busyUntil = looked + BUSY_MS;
  }

  return async () => {
    if (performance.now() - looked >= LOOK_INTERVAL_MS) await look();
    return performance.now() < busyUntil ? FACTOR_UNDER_LOAD : 0;
  };
}

async function* throttled<T>(items: AsyncIterable<T>, throttle: Throttle): AsyncGenerator<T> {
  for await (const item of items) {
    yield item;
    await throttle.pause();
  }
}

/** Reads the source in small chunks, with a pause after each. */
export function throttledSource(source: ArchiveSource, throttle: Throttle): ArchiveSource {
  return { ...source, read: (kind, after) => throttled(source.read(kind, after, CHUNK_SIZE), throttle) };
}

/** Reads blobs with a pause after each chunk. */
export function throttledBlobs(blobs: Pick<Blobs, 'get'>, throttle: Throttle): Pick<Blobs, 'get'> {
  return {
    async get(key, range) {
      const content = await blobs.get(key, range);
      return content === null ? null : { ...content, bytes: throttled(content.bytes, throttle) };
    },
  };
}
