import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createPostgresStorage } from '@baobab/adapters/postgres';
import { addCollection, addUser, EVERYTHING, newDocument, UNSORTED } from '@baobab/contracts/storage';
import type { Storage } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';

const PAGE = 20;
const ROW_BYTES = 1_000;
const READS = 200;
/** Their retention depends on the code that V8 has compiled. */
const ROUNDS = 10;
const READ_BYTES = READS * PAGE * ROW_BYTES;

setFlagsFromString('--expose-gc');
const collect: NodeJS.GCFunction = runInNewContext('gc');

describe('rows of Postgres that are no longer used', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let storage: Storage;

  beforeEach(async () => {
    database = await createDatabase();
    storage = createPostgresStorage({ url: database.url, logger: silentLogger });
    const author = (await addUser(storage, 'Ann')).id;
    const collection = await addCollection(storage, 'books');
    const content = JSON.stringify({ text: 'x'.repeat(ROW_BYTES) });
    for (let n = 0; n < PAGE; n++) await storage.documents.add(newDocument(author, collection, { content }));
  });
  afterEach(async () => {
    await storage.close();
    await database.drop();
  });

  it('are garbage for a collection of the young generation', async () => {
    const list = { collection: 'books', scope: EVERYTHING, ...UNSORTED, after: null, skip: 0, limit: PAGE };
    const read = () => storage.documents.list(list);
    expect(await read()).toHaveLength(PAGE);
    for (let round = 0; round < ROUNDS; round++) {
      collect();
      const before = process.memoryUsage().heapUsed;
      for (let n = 0; n < READS; n++) await read();
      collect({ type: 'minor' });
      collect({ type: 'minor' });
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(READ_BYTES / 2);
    }
  });
});
