import { join } from 'node:path';
import { createMemoryStorage } from '@baobab/adapters/memory';
import { createPostgresStorage } from '@baobab/adapters/postgres';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import type { OpenedShared } from '@baobab/contracts/storage';
import type { Signal, SignalRelay } from '@baobab/core';
import { createDatabase, createFolder } from './databases.ts';
import { silentLogger } from './logger.ts';

async function shareMemory(): Promise<OpenedShared> {
  const storage = createMemoryStorage();
  return { storages: [storage, storage], dispose: () => storage.close() };
}

/** Creates a relay that delivers messages with a short delay, in order. */
function createRelays() {
  const receivers: Array<(signal: Signal | null) => void> = [];
  const soon = (work: () => void) => {
    setTimeout(work, 1);
  };
  return (own: number): SignalRelay => ({
    live: true,
    send: (signal) => soon(() => receivers[1 - own]?.(signal)),
    heard: () => new Promise((resolve) => soon(resolve)),
    receive: (listener) => {
      receivers[own] = listener;
    },
  });
}

async function shareSqlite(): Promise<OpenedShared> {
  const folder = createFolder();
  const relay = createRelays();
  const open = (own: number) =>
    createSqliteStorage({ path: join(folder.path, 'baobab.db'), logger: silentLogger, relay: relay(own) });
  const [here, there] = [open(0), open(1)];
  await here.migrate();
  return {
    storages: [here, there],
    async dispose() {
      await Promise.all([here.close(), there.close()]);
      folder.remove();
    },
  };
}

async function sharePostgres(): Promise<OpenedShared> {
  const database = await createDatabase();
  const open = () => createPostgresStorage({ url: database.url, logger: silentLogger });
  const [here, there] = [open(), open()];
  return {
    storages: [here, there],
    async dispose() {
      await Promise.all([here.close(), there.close()]);
      await database.drop();
    },
  };
}

/** All storage adapters, opened as by two processes. */
export const SHARED_STORAGES: Readonly<Record<string, () => Promise<OpenedShared>>> = {
  memory: shareMemory,
  sqlite: shareSqlite,
  postgres: sharePostgres,
};
