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
/** Far more than the log's size when nobody reads an old snapshot. */
const LONG = 24 * MEGABYTE;
const COLLECTION = 'books';
const PATIENCE = { timeout: PATIENCE_MS, interval: 50 };
/** The log is checked five times as often as in a service. */
const CHECK_MS = 200;

describe('the write-ahead log of SQLite', () => {
  let folder: ReturnType<typeof createFolder>;
  let path: string;
  let storage: Storage;
  let author: string;

  async function write(length: number): Promise<void> {
    const content = JSON.stringify({ text: 'x'.repeat(length) });
    await storage.documents.add(newDocument(author, COLLECTION, { id: uuid(), content }));
  }

  /** The number of documents in an intact database file. */
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
    storage = createSqliteStorage({ path, logger: silentLogger, lookMs: CHECK_MS });
    await storage.migrate();
    author = (await addUser(storage, 'Ann')).id;
    await storage.collections.add({ id: uuid(), name: COLLECTION, created: NOW });
  });
  afterEach(async () => {
    await storage.close();
    folder.remove();
  });

  /** Writes during a backup: one that took no time would show nothing. */
  async function writeFor(bytes: number): Promise<void> {
    for (let written = 0; written < bytes; written += MEGABYTE) {
      await write(MEGABYTE);
      await pause(CHECK_MS / 10);
    }
  }

  function readOldState(): DatabaseSync {
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('begin');
    expect(reader.prepare('select count(*) as n from documents').get()).toEqual({ n: 0 });
    return reader;
  }

  it('is checkpointed without delaying a write once no old snapshot is read, and is short again', async () => {
    const reader = readOldState();
    await writeFor(WRITTEN);
    expect(reader.prepare('select count(*) as n from documents').get()).toEqual({ n: 0 });
    const held = sizes();
    expect(held.log).toBeGreaterThan(WRITTEN);
    expect(held.data).toBeLessThan(WRITTEN);
    reader.exec('commit');
    reader.close();

    await vi.waitFor(() => expect(sizes().data).toBeGreaterThan(WRITTEN), PATIENCE); // there are no writes

    await vi.waitFor(async () => {
      await write(MEGABYTE);
      expect(sizes().log).toBeLessThan(LONG);
    }, PATIENCE);
    await storage.close();
    expect(left()).toBeGreaterThan(WRITTEN / MEGABYTE);
  });

  it('does not prevent closing while an old snapshot is read', async () => {
    const reader = readOldState();
    await writeFor(LONG);
    await storage.close();
    reader.close();
    expect(left()).toBe(LONG / MEGABYTE);
  });
});
