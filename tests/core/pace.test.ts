import type { ArchiveKind, ArchiveRow, ArchiveSource, Blobs } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPace, type Pace, pacedBlobs, pacedSource } from '../../packages/server/src/cli/pace.ts';

const WORK_MS = 20;
const work = () => vi.advanceTimersByTime(WORK_MS);

async function lengthOf(rest: Promise<void>): Promise<number> {
  const begun = performance.now();
  let end: number | null = null;
  const resting = (async () => {
    await rest;
    end = performance.now();
  })();
  for (await Promise.resolve(); end === null; ) await vi.advanceTimersByTimeAsync(1);
  await resting;
  return end - begun;
}

/** A pace that only counts. */
function counting(): Pace & { readonly rests: () => number } {
  let rests = 0;
  return {
    rest: async () => {
      rests++;
    },
    rests: () => rests,
  };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('the pace of a backup', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('rests for so many times as long as it worked', async () => {
    for (const share of [3, 0.5, 0]) {
      const pace = createPace(share);
      work();
      expect(await lengthOf(pace.rest())).toBe(share * WORK_MS);
    }
  });

  it('does not count its rests as work', async () => {
    const pace = createPace(10);
    work();
    expect(await lengthOf(pace.rest())).toBe(10 * WORK_MS);
    expect(await lengthOf(pace.rest())).toBeLessThanOrEqual(1);
  });

  it('rests after each batch of rows and each piece of bytes, and changes none of them', async () => {
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
    expect(await all(pacedSource(source, rows).read(kind, null))).toEqual(batches);
    expect(rows.rests()).toBe(3);
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
    const content = await pacedBlobs(blobs, bytes).get('files/a/original');
    if (content === null) throw new Error('no bytes');
    expect(await all(content.bytes)).toEqual(parts);
    expect(bytes.rests()).toBe(2);
    expect(await pacedBlobs(blobs, bytes).get('files/b/original')).toBeNull();
  });
});
