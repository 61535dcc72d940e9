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
import { folderName } from './leftovers.ts';
import { silentLogger } from './logger.ts';
import { PART, QUICK } from './parts.ts';
import { PATIENCE_MS } from './patience.ts';

export const TEMPLATE = 'baobab_template';

export function databaseUrl(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

let server: postgres.Sql | null = null;

/** Returns a connection that stays open between tests. */
function connection(): postgres.Sql {
  server ??= postgres(inject('postgresUrl'), { max: 2, idle_timeout: 1, onnotice: () => undefined });
  return server;
}

async function onServer(statement: string): Promise<void> {
  await connection().unsafe(statement);
}

/**
 * Copies files instead of logging each page, which takes a quarter of the time. Before version 15, this was the only
 * strategy.
 */
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

/** Copy made during the previous test. */
let next: Promise<string> | null = null;

function copyOfTemplate(): Promise<string> {
  const copy = () => createOnServer(TEMPLATE);
  const mine = next ?? copy();
  next = copy();
  next.catch(() => undefined); // reported to the test that needs it
  return mine;
}

/** Creates a Postgres database for the test: a copy of the migrated template, or an empty one. */
export async function createDatabase({ empty = false } = {}): Promise<{ url: string; drop(): Promise<void> }> {
  const name = await (empty ? createOnServer('template1') : copyOfTemplate());
  return {
    url: databaseUrl(inject('postgresUrl'), name),
    drop: () => onServer(`drop database if exists ${name} with (force)`),
  };
}

/** Creates a temporary folder for the test. */
export function createFolder(parent = tmpdir()): { path: string; remove(): void } {
  const path = mkdtempSync(join(parent, folderName('test')));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A migrated storage, with a function that removes all its resources. */
export interface TestStorage {
  readonly storage: Storage;
  /** Its `DATABASE_URL`. */
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
  const storage = createSqliteStorage({ path, logger: silentLogger, searchMs: PATIENCE_MS });
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

/** Opens a Postgres storage, for tests that require several nodes on one Postgres. */
export async function openPostgres(): Promise<TestStorage> {
  const database = await createDatabase();
  const storage = createPostgresStorage({ url: database.url, logger: silentLogger, onlyOneConnection: true });
  return {
    storage,
    url: database.url,
    async dispose() {
      await storage.close();
      await database.drop();
    },
  };
}

/** Timeouts for a cluster on one busy machine, where hundreds of other statements may precede one. Milliseconds. */
const CITUS_LIMITS = { statement: 240_000, silence: 250_000 };

function openCitus(coordinator: string) {
  return async (): Promise<TestStorage> => {
    const database = await createCitusDatabase(coordinator);
    const storage = createPostgresStorage({
      url: database.url,
      logger: silentLogger,
      limits: CITUS_LIMITS,
      onlyOneConnection: true,
    });
    await storage.migrate(); // detects the cluster
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

/** Opens a cluster on which every collection is distributed as soon as it is added. */
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
 * With a cluster, only the cluster, because all other adapters are tested without one. With distributed collections,
 * results are compared with those of the memory adapter.
 */
const onCluster = (url: string) => (SPREADS ? { ...SERVERLESS, citus: openSpread(url) } : { citus: openCitus(url) });

/** All storage adapters. Each suite on storage runs once per adapter. With `npm run test:citus`, the cluster. */
export const STORAGES: Readonly<Record<string, () => Promise<TestStorage>>> =
  CITUS_URL === undefined ? (QUICK ? SERVERLESS : ALL) : onCluster(CITUS_URL);

/**
 * Storages of tests over HTTP. `npm test` runs them on the databases: of memory it runs the contract suites, which
 * require the same of every storage. `npm run test:all` and named files run them on memory too.
 */
export const SERVED_STORAGES: typeof STORAGES = Object.fromEntries(
  Object.entries(STORAGES).filter(([name]) => PART !== 'everyday' || name !== 'memory'),
);
