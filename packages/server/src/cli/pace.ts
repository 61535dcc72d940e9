import type { ArchiveSource, Blobs } from '@baobab/core';

/** Rests between small pieces of work, so that the services beside it go first. */
export interface Pace {
  /** To be called after each piece. */
  rest(): Promise<void>;
}

/** What is read of a database at once, characters: it is busy for a fraction of a millisecond. */
const READ_SIZE = 16_384;

/** @param share for how many milliseconds it rests for each that it works, waiting for the disk included; 0 for none */
export function createPace(share: number): Pace {
  let begun = performance.now();
  return {
    async rest() {
      if (share === 0) return;
      const worked = performance.now() - begun;
      await new Promise((resolve) => setTimeout(resolve, share * worked));
      begun = performance.now();
    },
  };
}

async function* resting<T>(items: AsyncIterable<T>, pace: Pace): AsyncGenerator<T> {
  for await (const item of items) {
    yield item;
    await pace.rest();
  }
}

/** The source in small batches, with a rest after each. */
export function pacedSource(source: ArchiveSource, pace: Pace): ArchiveSource {
  return { ...source, read: (kind, after) => resting(source.read(kind, after, READ_SIZE), pace) };
}

/** Bytes that are read with a rest after each piece. */
export function pacedBlobs(blobs: Pick<Blobs, 'get'>, pace: Pace): Pick<Blobs, 'get'> {
  return {
    async get(key, range) {
      const content = await blobs.get(key, range);
      return content === null ? null : { ...content, bytes: resting(content.bytes, pace) };
    },
  };
}
