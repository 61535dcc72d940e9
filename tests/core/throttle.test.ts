import type { ArchiveKind, ArchiveRow, ArchiveSource, Blobs } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createThrottle,
  type Throttle,
  throttledBlobs,
  throttledSource,
  underLoad,
} from '../../packages/server/src/backups/throttle.ts';

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

  /** A database to which others write while `isWritten` is set, and which takes `answer` milliseconds to say so. */
  function createWatch() {
    const state = { isWritten: false, answer: 0, isBroken: false };
    const watch = {
      async hasWritten() {
        vi.advanceTimersByTime(state.answer);
        if (state.isBroken) throw new Error('the connection was lost');
        return state.isWritten;
      },
      close: async () => undefined,
    };
    return { state, watch };
  }

  /** The shortest and the longest of the pauses after `count` chunks of work. */
  async function pausesOf(throttle: Throttle, count: number): Promise<readonly [number, number]> {
    const lengths: number[] = [];
    for (let i = 0; i < count; i++) {
      work();
      lengths.push(await lengthOf(throttle.pause()));
    }
    return [Math.min(...lengths), Math.max(...lengths)];
  }

  const MANY = 60;

  it('does not pause on an idle database, once it knows that it is idle', async () => {
    const throttle = createThrottle(underLoad(createWatch().watch));
    await pausesOf(throttle, 5);
    const [, longest] = await pausesOf(throttle, MANY);
    expect(longest).toBeLessThan(WORK_MS / 2);
  });

  it('pauses while others write, while the database is slow, and while it cannot be watched', async () => {
    for (const trouble of [{ isWritten: true }, { answer: 50 }, { isBroken: true }]) {
      const { state, watch } = createWatch();
      const throttle = createThrottle(underLoad(watch));
      Object.assign(state, trouble);
      await pausesOf(throttle, 5);
      const [shortest] = await pausesOf(throttle, MANY);
      expect(shortest).toBeGreaterThanOrEqual(12 * WORK_MS);
      Object.assign(state, { isWritten: false, answer: 0, isBroken: false });
      await pausesOf(throttle, MANY);
      const [, longest] = await pausesOf(throttle, MANY);
      expect(longest).toBeLessThan(WORK_MS / 2);
    }
  });

  it('limits each pause under load, so that the work left bounds the time that a busy server takes for a backup', async () => {
    const { state, watch } = createWatch();
    state.isWritten = true;
    const throttle = createThrottle(underLoad(watch));
    const pauses: number[] = [];
    for (let i = 0; i < 10; i++) {
      vi.advanceTimersByTime(60_000); // a machine that lets the backup work once a minute
      pauses.push(await lengthOf(throttle.pause()));
    }
    expect(Math.max(...pauses)).toBe(250);
  });

  it('pauses between writes that are less than a second apart', async () => {
    let isWritten = false;
    async function hasWritten(): Promise<boolean> {
      const was = isWritten;
      isWritten = false;
      return was;
    }
    const throttle = createThrottle(underLoad({ hasWritten, close: async () => undefined }));
    for (let i = 0; i < MANY; i++) {
      isWritten ||= i % 3 === 0; // a chunk and its pause take 260 ms
      const [length] = await pausesOf(throttle, 1);
      if (i > 10) expect(length).toBeGreaterThanOrEqual(12 * WORK_MS);
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
