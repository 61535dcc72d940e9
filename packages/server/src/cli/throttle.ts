import type { ArchiveSource, Blobs } from '@baobab/core';

/** Slows down work with pauses, so that other services on the machine go first. */
export interface Throttle {
  /** To be called after each chunk of work. */
  pause(): Promise<void>;
}

/**
 * How much is read from a database at once, in characters: it keeps the database busy for a fraction of a millisecond.
 */
const CHUNK_SIZE = 16_384;

/** @param factor how long to pause, as a multiple of the time worked (including waits for the disk); 0 for no pauses */
export function createThrottle(factor: number): Throttle {
  let begun = performance.now();
  return {
    async pause() {
      if (factor === 0) return;
      const worked = performance.now() - begun;
      await new Promise((resolve) => setTimeout(resolve, factor * worked));
      begun = performance.now();
    },
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
