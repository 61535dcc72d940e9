import { createPostgresArchive, createSqliteArchive } from '@baobab/adapters/archive';
import type { Archive, ArchiveRow } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, createFolder } from '../support/databases.ts';
import { silentLogger as logger } from '../support/logger.ts';

const SIZE = 16_384;
const MANY = 3_000;
const LONG = 100_000;

const lengthOf = (row: ArchiveRow) => JSON.stringify(row).length;
const idOf = (n: number) => `019aa000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** Short rows with long ones between them. */
const messages = Array.from({ length: MANY }, (_, n) => ({
  id: idOf(n),
  sender: idOf(0),
  created: n,
  expires: n,
  payload: n % 500 === 499 ? 'x'.repeat(LONG) : `message ${n}`,
}));

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('rows of an archive in batches', () => {
  let folder: ReturnType<typeof createFolder>;
  let database: Awaited<ReturnType<typeof createDatabase>>;

  beforeEach(async () => {
    folder = createFolder();
    database = await createDatabase({ empty: true });
  });
  afterEach(async () => {
    folder.remove();
    await database.drop();
  });

  const archives: ReadonlyArray<readonly [string, () => Archive]> = [
    ['SQLite', () => createSqliteArchive({ path: `${folder.path}/a.db`, logger })],
    ['Postgres', () => createPostgresArchive({ url: database.url, logger })],
  ];

  it.each(archives)('are complete, in order and within the requested size: %s', async (_, open) => {
    const target = await open().target();
    const kind = target.kinds.find(({ name }) => name === 'push_messages');
    if (kind === undefined) throw new Error('no such kind');
    await target.write(kind, messages);
    await target.close();

    const source = await open().source();
    const batches = await all(source.read(kind, null, SIZE));
    const behind = await all(source.read(kind, { id: idOf(999) }));
    const estimate = await source.estimate(kind);
    await source.close();

    expect(batches.flat().map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
    expect(behind.flat().map(({ id }) => id)).toEqual(messages.slice(1_000).map(({ id }) => id));
    expect(estimate).toBeGreaterThanOrEqual(0);
    // The length of the next rows is estimated from the last one: one long row is a surprise, but never together with
    // many others.
    for (const batch of batches) {
      const long = batch.filter((row) => lengthOf(row) > LONG);
      expect(long.length).toBeLessThanOrEqual(1);
      const others = batch.filter((row) => !long.includes(row)).reduce((sum, row) => sum + lengthOf(row), 0);
      expect(others).toBeLessThanOrEqual(3 * SIZE);
    }
    expect(batches.length).toBeGreaterThan(MANY / 1_024);
  });
});
