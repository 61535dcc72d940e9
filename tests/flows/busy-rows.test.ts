import { createPostgresStorage } from '@baobab/adapters/postgres';
import { addUser } from '@baobab/contracts/storage';
import type { Storage } from '@baobab/core';
import postgres from 'postgres';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../support/client.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { createLatch } from '../support/patience.ts';
import { pinned } from '../support/pinned.ts';
import { startProgram } from '../support/program.ts';

const SETTINGS = { APP_CODE: 'code', ADMIN_PASSWORD: 'admin password', SECRET_KEY: 'k'.repeat(32), RATE_LIMIT: 'off' };
const CONNECTIONS = 4;
const WRITERS = 200;
const READS = 20;

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function openDatabase() {
  const { url, drop } = await createDatabase();
  cleanups.push(drop);
  const sql = postgres(url, { max: 2, onnotice: () => undefined });
  cleanups.push(() => sql.end());
  return { url, sql };
}

describe('many writers of one document on Postgres', () => {
  async function serve() {
    const { url, sql } = await openDatabase();
    const { path, remove } = createFolder();
    cleanups.push(remove);
    const database = { DATABASE_URL: url, DATABASE_CONNECTIONS: String(CONNECTIONS) };
    const program = startProgram({ ...SETTINGS, ...database, DATA_DIR: path });
    cleanups.push(() => program.dispose());
    const client = createClient(await program.ready(), SETTINGS.APP_CODE);
    const signUp = async (username: string): Promise<string> => {
      const { data } = await client('POST', '/user', { body: { username, password: 'secret' } });
      return data['X-BB-SESSION'];
    };
    const login = { username: 'admin', password: SETTINGS.ADMIN_PASSWORD };
    const { data } = await client('POST', '/login', { body: login });
    await client('POST', '/admin/collection/books', { token: data['X-BB-SESSION'] });
    return { client, sql, signUp };
  }

  /** Creates a document. Other users may change it, and some of them may read it. */
  async function prepare() {
    const { client, sql, signUp } = await serve();
    const [author, reader] = [await signUp('author'), await signUp('reader')];
    const writers = [await signUp('writer'), await signUp('editor')];
    const { data } = await client('POST', '/document/books', { token: author, body: { count: 0, list: [] } });
    const url = `/document/books/${data.id}`;
    for (const grant of ['update/user/writer', 'update/user/editor', 'read/user/editor']) {
      expect((await client('PUT', `${url}/${grant}`, { token: author })).status).toBe(200);
    }
    const lines = await Promise.all(Array.from({ length: WRITERS }, () => pinned(client.address, SETTINGS.APP_CODE)));
    cleanups.push(() => {
      for (const { close } of lines) close();
    });
    const patch = { increment: { count: 1 } };
    const kinds = [
      { method: 'PATCH', path: url, body: patch },
      { method: 'PUT', path: `${url}/.list[]`, body: { data: 1 } },
      {
        method: 'POST',
        path: '/batch',
        body: { operations: [{ method: 'PATCH', path: url, body: patch }], atomic: true },
      },
    ] as const;
    const write = async (n: number) => {
      const { method, path, body } = kinds[n % kinds.length] ?? kinds[0];
      return lines[n]?.client(method, path, { token: writers[n % writers.length], body });
    };
    const other = await client('POST', '/document/books', { token: reader, body: { a: 1 } });
    return {
      id: String(data.id),
      sql,
      writeAll: () => Promise.all(Array.from(lines.keys(), write)),
      read: async () => (await client('GET', url, { token: author })).data,
      readOther: () => client('GET', `/document/books/${other.data.id}`, { token: reader }),
    };
  }

  it('all succeed, and others read even while none of them can go on', async () => {
    const { id, sql, writeAll, read, readOther } = await prepare();
    let isOver = false;
    let writes: ReturnType<typeof writeAll> = Promise.resolve([]);
    await sql.begin(async (transaction) => {
      await transaction`select id from documents where id = ${id} for update`;
      writes = writeAll().finally(() => {
        isOver = true;
      });
      writes.catch(() => undefined); // reported below
      await expect
        .poll(async () => {
          const [row] = await sql`select count(*)::int as n from pg_stat_activity
            where application_name = 'baobab' and datname = current_database() and wait_event_type = 'Lock'`;
          return row?.n;
        })
        .toBeGreaterThanOrEqual(CONNECTIONS - 1);
      for (let n = 0; n < READS; n++) expect((await readOther()).status).toBe(200);
      expect(isOver).toBe(false);
    });
    expect(new Set((await writes).map((answer) => answer?.status))).toEqual(new Set([200]));
    const { count, list } = await read();
    expect(count + list.length).toBe(WRITERS);
  });
});

describe('a transaction on Postgres that asks for a second connection', () => {
  async function open(): Promise<Storage> {
    const { url } = await openDatabase();
    const storage = createPostgresStorage({ url, logger: silentLogger, onlyOneConnection: true });
    cleanups.push(() => storage.close());
    return storage;
  }

  it('fails in tests, whatever it asks for', async () => {
    const storage = await open();
    const ann = await addUser(storage, 'Ann');
    const requests: ReadonlyArray<() => Promise<unknown>> = [
      () => storage.users.find(ann.id),
      () => storage.settings.all(),
      () => storage.settings.set({ key: 'a', value: '1' }),
      () => storage.announcer.announce({ topic: 'settings', key: 'a' }),
      () => storage.transaction(async () => undefined),
      () => storage.health(),
    ];
    for (const request of requests) {
      await expect(storage.transaction(request)).rejects.toThrow('second connection');
      const swallowed = storage.transaction(() => request().catch(() => undefined));
      await expect(swallowed).rejects.toThrow('second connection');
    }
  });

  it('does not prevent requests after its end, or by its own stores', async () => {
    const storage = await open();
    const ann = await addUser(storage, 'Ann');
    const over = createLatch();
    let later: Promise<unknown> = Promise.resolve();
    const found = await storage.transaction(async ({ users }) => {
      later = over.opened.then(() => storage.users.find(ann.id));
      return users.find(ann.id);
    });
    over.open();
    expect([found?.name, await later]).toMatchObject(['Ann', { name: 'Ann' }]);
  });
});
