import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStorage } from '@baobab/adapters/memory';
import { createCitusCluster, createPostgresStorage } from '@baobab/adapters/postgres';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import type { Storage } from '@baobab/core';
import postgres from 'postgres';
import { inject } from 'vitest';
import { CITUS_URL, createCitusDatabase, SPREADS } from './citus.ts';
import { fastPlace } from './fast-place.ts';
import { silentLogger } from './logger.ts';
import { QUICK } from './quick.ts';

export const TEMPLATE = 'baobab_template';

export function databaseUrl(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

let server: postgres.Sql | null = null;

/** A connection that stays open between tests. */
function connection(): postgres.Sql {
  server ??= postgres(inject('postgresUrl'), { max: 2, idle_timeout: 1, onnotice: () => undefined });
  return server;
}

async function onServer(statement: string): Promise<void> {
  await connection().unsafe(statement);
}

/** Copies files instead of logging each page, which takes a quarter of the time. Before 15, Postgres did nothing else. */
const COPYING = 'strategy file_copy';
const FIRST_WITH_STRATEGIES = 150_000;
let strategy: Promise<string> | null = null;

async function strategyOf(): Promise<string> {
  const [row] = await connection()`select current_setting('server_version_num')::int as version`;
  return row?.version < FIRST_WITH_STRATEGIES ? '' : COPYING;
}

async function createOnServer(template: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  strategy ??= strategyOf();
  await onServer(`create database ${name} template ${template} ${await strategy}`);
  return name;
}

/** Copied during the test before. */
let next: Promise<string> | null = null;

function copyOfTemplate(): Promise<string> {
  const copy = () => createOnServer(TEMPLATE);
  const mine = next ?? copy();
  next = copy();
  next.catch(() => undefined); // reported to the test that needs it
  return mine;
}

/** A Postgres database of the test's own: a copy of the migrated template, or an empty one. */
export async function createDatabase({ empty = false } = {}): Promise<{ url: string; drop(): Promise<void> }> {
  const name = await (empty ? createOnServer('template1') : copyOfTemplate());
  return {
    url: databaseUrl(inject('postgresUrl'), name),
    drop: () => onServer(`drop database if exists ${name} with (force)`),
  };
}

/** A temporary folder of the test's own. */
export function createFolder(parent = tmpdir()): { path: string; remove(): void } {
  const path = mkdtempSync(join(parent, 'baobab-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A migrated storage, and the function that disposes of everything behind it. */
export interface TestStorage {
  readonly storage: Storage;
  /** The `DATABASE_URL` for it. */
  readonly url: string;
  dispose(): Promise<void>;
}

async function openMemory(): Promise<TestStorage> {
  const storage = createMemoryStorage();
  await storage.migrate();
  return { storage, url: 'memory:', dispose: () => storage.close() };
}

async function openSqlite(): Promise<TestStorage> {
  const folder = createFolder(fastPlace());
  const path = join(folder.path, 'baobab.db');
  copyFileSync(inject('sqliteTemplate'), path);
  const storage = createSqliteStorage({ path, logger: silentLogger });
  await storage.migrate();
  return {
    storage,
    url: `sqlite:${path}`,
    async dispose() {
      await storage.close();
      folder.remove();
    },
  };
}

/** For what only several nodes on one Postgres can do. */
export async function openPostgres(): Promise<TestStorage> {
  const database = await createDatabase();
  const storage = createPostgresStorage({ url: database.url, logger: silentLogger });
  return {
    storage,
    url: database.url,
    async dispose() {
      await storage.close();
      await database.drop();
    },
  };
}

/** A cluster on one busy machine is slow: hundreds of statements of others may come before one. Milliseconds. */
const CITUS_LIMITS = { statement: 240_000, silence: 250_000 };

function openCitus(coordinator: string) {
  return async (): Promise<TestStorage> => {
    const database = await createCitusDatabase(coordinator);
    const storage = createPostgresStorage({ url: database.url, logger: silentLogger, limits: CITUS_LIMITS });
    await storage.migrate(); // notices the cluster
    return {
      storage,
      url: database.url,
      async dispose() {
        await storage.close();
        await database.drop();
      },
    };
  };
}

/** A cluster on which every collection is spread as soon as it is added. */
function openSpread(coordinator: string) {
  return async (): Promise<TestStorage> => {
    const { storage, ...opened } = await openCitus(coordinator)();
    const cluster = createCitusCluster({ url: opened.url });
    const collections: Storage['collections'] = {
      ...storage.collections,
      async add(collection) {
        const added = await storage.collections.add(collection);
        if (added) await cluster.spread({ name: collection.name, slices: 3 });
        return added;
      },
    };
    return { storage: { ...storage, collections }, ...opened };
  };
}

const SERVERLESS = { memory: openMemory };
const ALL = { ...SERVERLESS, sqlite: openSqlite, postgres: openPostgres };

/**
 * On a cluster that only, because all others are tested without one. Where collections are spread, answers are compared
 * with those of the memory.
 */
const onCluster = (url: string) => (SPREADS ? { ...SERVERLESS, citus: openSpread(url) } : { citus: openCitus(url) });

/** Every storage adapter; each suite on storage runs once for each of them. With `npm run test:citus` the cluster. */
export const STORAGES: Readonly<Record<string, () => Promise<TestStorage>>> =
  CITUS_URL === undefined ? (QUICK ? SERVERLESS : ALL) : onCluster(CITUS_URL);
