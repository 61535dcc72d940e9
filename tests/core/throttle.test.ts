import type { ArchiveKind, ArchiveRow, ArchiveSource, Blobs } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createThrottle,
  type Throttle,
  throttledBlobs,
  throttledSource,
} from '../../packages/server/src/cli/throttle.ts';

const WORK_MS = 20;
const work = () => vi.advanceTimersByTime(WORK_MS);

async function lengthOf(pause: Promise<void>): Promise<number> {
  const begun = performance.now();
  let end: number | null = null;
  const paused = (async () => {
    await pause;
    end = performance.now();
  })();
  for (await Promise.resolve(); end === null; ) await vi.advanceTimersByTimeAsync(1);
  await paused;
  return end - begun;
}

/** A throttle that only counts. */
function counting(): Throttle & { readonly pauses: () => number } {
  let pauses = 0;
  return {
    pause: async () => {
      pauses++;
    },
    pauses: () => pauses,
  };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('the throttle of a backup', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('pauses for a multiple of the time that it worked', async () => {
    for (const share of [3, 0.5, 0]) {
      const throttle = createThrottle(share);
      work();
      expect(await lengthOf(throttle.pause())).toBe(share * WORK_MS);
    }
  });

  it('does not count its pauses as work', async () => {
    const throttle = createThrottle(10);
    work();
    expect(await lengthOf(throttle.pause())).toBe(10 * WORK_MS);
    expect(await lengthOf(throttle.pause())).toBeLessThanOrEqual(1);
  });

  it('pauses after each batch of rows and each chunk of bytes, and changes none of them', async () => {
    const kind: ArchiveKind = { name: 'things', key: ['id'] };
    const batches: ArchiveRow[][] = [[{ id: 1 }], [{ id: 2 }, { id: 3 }], [{ id: 4 }]];
    const sizes: unknown[] = [];
    const source: ArchiveSource = {
      kinds: [kind],
      count: async () => 4,
      estimate: async () => 4,
      async *read(_, after, size) {
        sizes.push([after, size]);
        yield* batches;
      },
      close: async () => undefined,
    };
    const rows = counting();
    expect(await all(throttledSource(source, rows).read(kind, null))).toEqual(batches);
    expect(rows.pauses()).toBe(3);
    expect(sizes).toEqual([[null, expect.any(Number)]]);

    const parts = [new Uint8Array([1, 2]), new Uint8Array([3])];
    const blobs: Pick<Blobs, 'get'> = {
      get: async (key) => {
        if (key !== 'files/a/original') return null;
        async function* bytes() {
          yield* parts;
        }
        return { size: 3, bytes: bytes(), dispose: () => undefined };
      },
    };
    const bytes = counting();
    const content = await throttledBlobs(blobs, bytes).get('files/a/original');
    if (content === null) throw new Error('no bytes');
    expect(await all(content.bytes)).toEqual(parts);
    expect(bytes.pauses()).toBe(2);
    expect(await throttledBlobs(blobs, bytes).get('files/b/original')).toBeNull();
  });
});
