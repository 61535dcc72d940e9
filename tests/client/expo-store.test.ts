import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExpoDatabase, expoStore } from '@baobab/client/expo';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onDevices } from '../support/offline/devices.ts';
import { createExpoSqlite } from '../support/offline/expo-sqlite.ts';
import { STORE_CONTRACT } from '../support/offline/store-contract.ts';

const SMALL_PAGES = 500;
const UNAVAILABLE = { name: 'BaobabError', code: 'client.store_unavailable' };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'expo-store-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const openStore = (maxPages?: number) =>
  expoStore('app.db', createExpoSqlite({ folder, ...(maxPages !== undefined && { maxPages }) }).openDatabaseAsync);

describe('the store in SQLite, for React Native', () => {
  it.each(Object.entries(STORE_CONTRACT))('%s', async (_title, scenario) => {
    await scenario({ store: openStore(), again: () => openStore(), small: async () => openStore(SMALL_PAGES) });
  });

  it('has its entries after a restart', async () => {
    const store = openStore();
    const stored = store.update([], () => [['a', 1]]);
    store.close();
    await stored;
    await expect(store.list('')).rejects.toThrow('The store is closed');
    expect(await openStore().list('')).toEqual([['a', 1]]);
  });

  it('has every acknowledged change, each of them whole, after a process was killed', async () => {
    for (let kill = 0; kill < 5; kill++) {
      const writer = join(import.meta.dirname, '../support/offline/expo-process.ts');
      const child = spawn(process.execPath, ['--conditions=source', '--no-warnings', writer, folder]);
      let output = '';
      const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
      child.stdout.on('data', (chunk) => {
        output += chunk;
        // At another moment of a transaction each time.
        if (output.split('\n').length > 5 + kill) child.kill('SIGKILL');
      });
      await ended;
      const acknowledged = Number(output.trimEnd().split('\n').at(-1));
      const { a, b } = Object.fromEntries(await openStore().list(''));
      expect(a).toBeGreaterThanOrEqual(acknowledged);
      expect(b).toBe(a);
    }
  });
});

describe('the store in SQLite, when the database fails', () => {
  const module = () => createExpoSqlite({ folder });
  const increment = (store: ReturnType<typeof expoStore>) => store.update(['n'], ([n = 0]) => [['n', Number(n) + 1]]);

  it('waits for another writer, and is refused by one that does not end', async () => {
    const store = openStore();
    await increment(store);
    const other = await module().openDatabaseAsync('app.db');
    await other.execAsync('BEGIN IMMEDIATE');
    const waiting = increment(store);
    await other.execAsync('COMMIT');
    await waiting;
    await other.execAsync('BEGIN IMMEDIATE');
    await expect(increment(store)).rejects.toMatchObject(UNAVAILABLE);
    expect(await store.list('')).toEqual([['n', 2]]);
    await other.execAsync('COMMIT');
    await increment(store);
    expect(await store.list('')).toEqual([['n', 3]]);
  });

  it('opens the database again after it was closed', async () => {
    const opened: ExpoDatabase[] = [];
    const store = expoStore('app.db', async (name) => {
      const database = await module().openDatabaseAsync(name);
      opened.push(database);
      return database;
    });
    await increment(store);
    await opened[0]?.closeAsync();
    expect(await store.list('')).toEqual([['n', 1]]);
    expect(opened).toHaveLength(2);
  });

  it('says that the file cannot be used', async () => {
    writeFileSync(join(folder, 'app.db'), 'this is not a database'.repeat(1_000));
    await expect(openStore().list('')).rejects.toMatchObject(UNAVAILABLE);
  });

  it('never repeats what may have been stored', async () => {
    let transactions = 0;
    const store = expoStore('app.db', async (name) => {
      const database = await module().openDatabaseAsync(name);
      return {
        ...database,
        async withExclusiveTransactionAsync(task) {
          transactions++;
          await database.withExclusiveTransactionAsync(task);
          throw new Error('the connection of the transaction could not be closed');
        },
      };
    });
    await expect(increment(store)).rejects.toMatchObject(UNAVAILABLE);
    expect([transactions, await store.list('')]).toEqual([1, [['n', 1]]]);
  });
});

onDevices('an app with the store in SQLite', (world) => {
  it('sends what was written offline after a restart', async () => {
    const one = await world.device({ store: openStore() });
    one.net.isOn = false;
    const { id } = await one.items.create({ title: 'Milk', tags: ['ж 😀'] });
    await one.items.update(id, { done: true });
    one.offline.close();
    const again = await world.device({ name: one.name, store: openStore() });
    expect(again.offline.waiting).toBeGreaterThan(0);
    await again.offline.sync();
    expect(again.offline.waiting).toBe(0);
    const stored = await again.baobab.collection(world.collection).query().list();
    expect(stored).toMatchObject([{ id, title: 'Milk', tags: ['ж 😀'], done: true }]);
    again.offline.close();
  });
});
