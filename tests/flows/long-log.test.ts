import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import { addUser, NOW, newDocument, uuid } from '@baobab/contracts/storage';
import type { Storage } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFolder } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { PATIENCE_MS, pause } from '../support/patience.ts';

const MEGABYTE = 1_048_576;
const WRITTEN = 40 * MEGABYTE;
/** Far more than what the log comes to when nobody reads an old state. */
const LONG = 24 * MEGABYTE;
const COLLECTION = 'books';
const PATIENCE = { timeout: PATIENCE_MS, interval: 50 };
const CUT = 4 * MEGABYTE;
/** The log is looked at five times as often as in a service. */
const LOOK_MS = 200;
/** The file is cut by that much, after ten looks at the soonest. */
const BETWEEN_CUTS = 15 * LOOK_MS;

describe('the log of SQLite', () => {
  let folder: ReturnType<typeof createFolder>;
  let path: string;
  let storage: Storage;
  let author: string;

  async function write(length: number): Promise<void> {
    const content = JSON.stringify({ text: 'x'.repeat(length) });
    await storage.documents.add(newDocument(author, COLLECTION, { id: uuid(), content }));
  }

  /** How many documents there are in a file that is whole. */
  function left(): number {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      expect(database.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
      return Number(database.prepare('select count(*) as n from documents').get()?.n);
    } finally {
      database.close();
    }
  }

  const sizes = () => ({ data: statSync(path).size, log: statSync(`${path}-wal`).size });

  beforeEach(async () => {
    folder = createFolder();
    path = join(folder.path, 'baobab.db');
    storage = createSqliteStorage({ path, logger: silentLogger, lookMs: LOOK_MS });
    await storage.migrate();
    author = (await addUser(storage, 'Ann')).id;
    await storage.collections.add({ id: uuid(), name: COLLECTION, created: NOW });
  });
  afterEach(async () => {
    await storage.close();
    folder.remove();
  });

  /** Writes for as long as a backup takes: one that takes no time would leave nothing to see. */
  async function writeFor(bytes: number): Promise<void> {
    for (let written = 0; written < bytes; written += MEGABYTE) {
      await write(MEGABYTE);
      await pause(LOOK_MS / 10);
    }
  }

  function readOldState(): DatabaseSync {
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('begin');
    expect(reader.prepare('select count(*) as n from documents').get()).toEqual({ n: 0 });
    return reader;
  }

  it('is taken into the data without a write that waits for it, once nobody reads an old state, and is short again', async () => {
    const reader = readOldState();
    await writeFor(WRITTEN);
    expect(reader.prepare('select count(*) as n from documents').get()).toEqual({ n: 0 });
    const held = sizes();
    expect(held.log).toBeGreaterThan(WRITTEN);
    expect(held.data).toBeLessThan(WRITTEN);
    reader.exec('commit');
    reader.close();

    await vi.waitFor(() => expect(sizes().data).toBeGreaterThan(WRITTEN), PATIENCE); // nobody writes

    await vi.waitFor(async () => {
      await write(MEGABYTE);
      expect(sizes().log).toBeLessThan(LONG);
    }, PATIENCE);
    await storage.close();
    expect(left()).toBeGreaterThan(WRITTEN / MEGABYTE);
  });

  it('is cut by a little when it begins anew, however seldom that is', async () => {
    const reader = readOldState();
    await writeFor(WRITTEN);
    reader.close();
    await vi.waitFor(() => expect(sizes().data).toBeGreaterThan(WRITTEN), PATIENCE);

    for (let round = 0; round < 2; round++) {
      const before = sizes().log;
      await pause(BETWEEN_CUTS);
      for (let written = 0; written < 6; written++) await write(MEGABYTE); // a commit takes in 4 MB of log
      expect(sizes().log).toBe(before - CUT);
    }
  });

  it('keeps nobody from closing while an old state is read', async () => {
    const reader = readOldState();
    await writeFor(LONG);
    await storage.close();
    reader.close();
    expect(left()).toBe(LONG / MEGABYTE);
  });
});
