import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createPostgresStorage } from '@baobab/adapters/postgres';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import { addCollection, addUser, EVERYTHING, newDocument } from '@baobab/contracts/storage';
import type { Condition, Storage } from '@baobab/core';
import postgres from 'postgres';
import { afterEach, describe, expect, it } from 'vitest';
import { createDatabase, createFolder } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';

interface Limit {
  /** Milliseconds. */
  readonly limit?: number;
}

/** A database, and functions that open it. */
interface Database {
  open(limit?: Limit): Storage;
  /** Makes reads of documents and audit events wait, where a limit of zero is no limit. Resolves to the function that ends the wait. */
  hold(): Promise<() => Promise<void>>;
  remove(): Promise<void> | void;
  /** The file of a local database. */
  readonly path: string | null;
}

const DATABASES: Readonly<Record<string, () => Promise<Database>>> = {
  async sqlite() {
    const folder = createFolder();
    const path = join(folder.path, 'baobab.db');
    return {
      open: ({ limit } = {}) =>
        createSqliteStorage({ path, logger: silentLogger, ...(limit === undefined ? {} : { searchMs: limit }) }),
      hold: async () => async () => undefined,
      remove: folder.remove,
      path,
    };
  },
  async postgres() {
    const { url, drop } = await createDatabase();
    return {
      open: ({ limit } = {}) =>
        createPostgresStorage({
          url,
          logger: silentLogger,
          connections: 3,
          ...(limit === undefined ? {} : { limits: { statement: limit } }),
        }),
      async hold() {
        const sql = postgres(url, { max: 1, onnotice: () => undefined });
        await sql.unsafe('begin; lock table documents, audit_events');
        return () => sql.end();
      },
      remove: drop,
      path: null,
    };
  },
};

/** Milliseconds. */
const LIMITS: Readonly<Record<string, number>> = { sqlite: 0, postgres: 1_000 };
const TEXT = 'a'.repeat(1_000_000);
/** Two of them are almost the longest pattern that callers can use. */
const LONG = 'a'.repeat(120);
const MANY_EVENTS = `
  with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 300000)
  insert into audit_events (id, number, hash, happened, act, by_kind, details, seals)
  select n, n, 'hash', n, 'login.succeeded', 'user', '{}', '{}' from numbers`;
const text = (pattern: string): Condition => ({ kind: 'like', operand: { kind: 'path', path: ['text'] }, pattern });

describe.each(Object.entries(DATABASES))('long searches on %s', (name, create) => {
  const cleanups: Array<() => unknown> = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  async function filled() {
    const { open, hold, remove, path } = await create();
    const opened = (limit?: Limit) => {
      const storage = open(limit);
      cleanups.push(() => storage.close());
      return storage;
    };
    cleanups.push(remove);
    const storage = opened();
    await storage.migrate();
    const collection = await addCollection(storage, 'Texts');
    const ann = await addUser(storage, 'Ann');
    const documents = ['b', 'a', ''].map((end, n) =>
      newDocument(ann.id, collection, {
        content: JSON.stringify({ n, text: `${TEXT}${end}${end === 'b' ? LONG : ''}` }),
      }),
    );
    for (const document of documents) await storage.documents.add(document);
    const list = (pattern: string, on = storage) =>
      on.documents.list({
        collection,
        scope: EVERYTHING,
        where: text(pattern),
        order: [{ path: ['n'], descending: true }],
        after: null,
        skip: 0,
        limit: 10,
      });
    return { storage, opened, hold, documents, collection, list, path };
  }

  it('find the right documents, and small reads finish before them', async () => {
    const { storage, documents, collection, list } = await filled();
    const ended: string[] = [];
    const found = list(`%${LONG}b${LONG}%`).finally(() => ended.push('search'));
    const id = documents[2]?.id ?? '';
    const one = storage.users.findByKey('ann').finally(() => ended.push('read'));
    await Promise.all([found, one]);
    expect((await found)?.map((document) => document.id)).toEqual([documents[0]?.id]);
    // On other databases the server is busy, not the program.
    if (name === 'sqlite') expect(ended).toEqual(['read', 'search']);
    expect((await list('%a'))?.map((document) => document.id)).toEqual(documents.map((one) => one.id).toReversed());
    expect(await storage.documents.count(collection, EVERYTHING, text(`%${LONG}%`))).toBe(3);
    expect(await storage.documents.find({ collection, id }, EVERYTHING)).toMatchObject({ version: 1 });
  });

  it('run a few at a time, and all finish', async () => {
    const { list } = await filled();
    const searches = Array.from({ length: 8 }, () => list(`%${LONG}b${LONG}%`));
    for (const found of await Promise.all(searches)) expect(found).toHaveLength(1);
  });

  it('are aborted beyond a limit, without affecting others', async () => {
    const { collection, list, opened, hold } = await filled();
    const limited = opened({ limit: LIMITS[name] ?? 0 });
    const release = await hold();
    await expect(list(`%${LONG}b%`, limited)).rejects.toMatchObject({ code: 'search.too_long' });
    expect(await limited.collections.findName(collection)).toBe('Texts');
    await release();
    expect(await list(`%${LONG}b${LONG}%`)).toHaveLength(1);
  });

  it('of audit events are aborted, too', async () => {
    const { storage, opened, hold, path } = await filled();
    if (path !== null) {
      const database = new DatabaseSync(path);
      database.exec(MANY_EVENTS);
      database.close();
    }
    const page = { filter: { act: null, by: 'nobody', to: null, from: null, until: null }, before: null, limit: 10 };
    const limited = opened({ limit: LIMITS[name] ?? 0 });
    const release = await hold();
    await expect(limited.audit.list(page)).rejects.toMatchObject({ code: 'search.too_long' });
    await release();
    expect(await storage.audit.list(page)).toEqual([]);
  });

  it('are rejected once the storage is closed', async () => {
    const { storage, list } = await filled();
    const search = list(`%${LONG}b${LONG}%`);
    await Promise.allSettled([search, storage.close()]);
    await expect(list(`%${LONG}b%`)).rejects.toMatchObject({ code: 'storage.unavailable' });
  });
});
