import type { ArchiveSource, Blobs, WriteWatch } from '@baobab/core';

/** Slows down work with pauses, so that other services on the machine go first. */
export interface Throttle {
  /** To be called after each chunk of work. */
  pause(): Promise<void>;
}

/**
 * How much is read from a database at once, in characters: it keeps the database busy for a fraction of a millisecond.
 */
const CHUNK_SIZE = 16_384;

/** Pauses while others use the database; bench/TRANSFER.md has the effect on services that run meanwhile. */
const FACTOR_UNDER_LOAD = 12;
/** How often the database is looked at. Milliseconds. */
const LOOK_INTERVAL_MS = 100;
/** How long a database counts as busy after a sign of load. Milliseconds. */
const BUSY_MS = 1_000;
/** A trivial statement takes longer than this only on a database, or a machine, that is busy. Milliseconds. */
const SLOW_MS = 20;

/**
 * How long to pause, as a multiple of the time worked (including waits for the disk); 0 for no pauses. A function is
 * asked after each chunk.
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
      const times = typeof factor === 'number' ? factor : await factor();
      if (times > 0) await sleep(times * worked, signal);
      begun = performance.now();
    },
  };
}

/**
 * Pauses only while the database is busy: while others write to it, or while it takes long to answer. Busy readers need
 * no pauses: the backup runs at a low priority and takes no locks that they wait for.
 */
export function underLoad(watch: WriteWatch): () => Promise<number> {
  let looked = performance.now();
  // Nothing is known yet.
  let busyUntil = looked + LOOK_INTERVAL_MS;

  async function look(): Promise<void> {
    const begun = performance.now();
    // A watch that fails says nothing about the load. If the database is gone, the backup itself reports it.
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

/** The source in small chunks, with a pause after each. */
export function throttledSource(source: ArchiveSource, throttle: Throttle): ArchiveSource {
  return { ...source, read: (kind, after) => throttled(source.read(kind, after, CHUNK_SIZE), throttle) };
}

/** Blobs that are read with a pause after each chunk. */
export function throttledBlobs(blobs: Pick<Blobs, 'get'>, throttle: Throttle): Pick<Blobs, 'get'> {
  return {
    async get(key, range) {
      const content = await blobs.get(key, range);
      return content === null ? null : { ...content, bytes: throttled(content.bytes, throttle) };
    },
  };
}
