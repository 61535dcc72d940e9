import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../packages/server/src/config.ts';
import { checkMemory } from '../../packages/server/src/doctor/memory.ts';
import { memoryLimits, SQLITE_CONNECTIONS } from '../../packages/server/src/memory-limits.ts';

const MIB = 2 ** 20;
const HASH = 19 * MIB;
/** Memory of an idle process and of its garbage, without the code that it shares with others (bench/MEMORY.md). */
const IDLE = 110 * MIB;

describe('the limits that follow from the memory of a process', () => {
  it.each([256, 512, 1_024, 4_096])('add up to less than %d MiB', (size) => {
    const { images, bodies, unread, sqliteCache, hashes } = memoryLimits(size * MIB, 1);
    const all = images.maxBytes + images.cacheBytes + bodies + unread + sqliteCache * SQLITE_CONNECTIONS;
    expect(IDLE + all + Math.max(0, hashes - 1) * HASH).toBeLessThan(size * MIB);
  });

  it('are those of each process', () => {
    expect(memoryLimits(4_096 * MIB, 8)).toEqual(memoryLimits(512 * MIB, 1));
  });

  it('do not exceed those of a large machine', () => {
    const { images, sqliteCache } = memoryLimits(1024 * 1024 * MIB, 1);
    expect([images.maxSourceBytes, images.cacheBytes, sqliteCache]).toEqual([64 * MIB, 32 * MIB, 64 * MIB]);
  });
});

describe('the check of the memory', () => {
  const check = (memory: number, variables = {}) =>
    checkMemory({
      config: parseConfig(variables),
      surroundings: { now: Date.now, roomOf: async () => ({ free: 0, size: 0 }), cores: 2, memory },
    });

  it('describes the limits that follow from it', () => {
    const limits =
      'images 170 MB, request bodies 52 MB, unread responses 39 MB, SQLite page cache 52 MB, ' +
      `cached images 13 MB, passwords ${Math.min(2, availableParallelism())} at the same time`;
    expect(check(512 * MIB)).toEqual({
      state: 'ok',
      text: `Each process may use 536 MB. At most: ${limits}`,
      remedy: null,
    });
  });

  it('reports less memory than the processes need', () => {
    expect(check(500_000_000, { WORKERS: '2' })).toEqual({
      state: 'fault',
      text: 'Each process may use 250 MB, and needs 268 MB',
      remedy: 'Allow more memory, or lower WORKERS',
    });
  });
});
