import { createPostgresArchive } from '@baobab/adapters/archive';
import { createPostgresStorage } from '@baobab/adapters/postgres';
import { isAppError } from '@baobab/core';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { pause } from '../support/patience.ts';
import { startProxy } from '../support/proxy.ts';

const CONNECTIONS = 4;
/** A silent connection is not noticed within the test. Milliseconds. */
const NEVER = 600_000;

/** As a server does when it restarts. */
describe('a Postgres server that ends all connections', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let storage: ReturnType<typeof createPostgresStorage>;
  let sql: postgres.Sql;

  beforeEach(async () => {
    database = await createDatabase();
    storage = createPostgresStorage({ url: database.url, logger: silentLogger, connections: CONNECTIONS });
    sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  });
  afterEach(async () => {
    await storage.close();
    await sql.end();
    await database.drop();
  });

  const endAll = () => sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'baobab' and datname = current_database()`;
  const keys = async () => (await storage.settings.all()).map(({ key }) => key).sort();

  it('makes statements in progress fail, and none after them', async () => {
    let isOver = false;
    let failures = 0;
    const done: string[] = [];
    const write = async (name: string) => {
      await storage.transaction(async ({ settings }) => {
        await settings.set({ key: `${name} a`, value: '' });
        await settings.set({ key: `${name} b`, value: '' });
      });
      done.push(name);
    };
    const countFailure = (error: unknown) => {
      if (!isAppError(error) || error.code !== 'storage.unavailable') throw error;
      failures++;
    };
    const client = async (i: number) => {
      for (let n = 0; !isOver; n++) {
        const call = i % 3 === 0 ? storage.settings.all() : write(`${i}-${n}`);
        await call.catch(countFailure);
      }
    };
    const clients = Array.from({ length: 3 * CONNECTIONS }, (_, i) => client(i));
    for (let round = 0; round < 10; round++) {
      await pause(100);
      await endAll();
    }
    const written = async (more: number) => {
      const before = done.length;
      await expect.poll(() => done.length).toBeGreaterThan(before + more);
    };
    await pause(300);
    await written(20); // statements in progress have failed by then
    const failed = failures;
    expect(failed).toBeGreaterThan(0);
    await written(50);
    isOver = true;
    await Promise.all(clients);
    expect(failures).toBe(failed);

    const there = new Set(await keys());
    expect(done.filter((name) => !there.has(`${name} a`) || !there.has(`${name} b`))).toEqual([]);
    // A failed transaction leaves all or nothing.
    expect([...there].filter((key) => !there.has(key.replace(/.$/, key.endsWith('a') ? 'b' : 'a')))).toEqual([]);
  });

  it('rolls back the interrupted transaction and rejects its later statements', async () => {
    const work = storage.transaction(async ({ settings }) => {
      await settings.set({ key: 'before', value: '' });
      await endAll();
      await pause(200);
      await settings.set({ key: 'after', value: '' });
    });
    await expect(work).rejects.toMatchObject({ code: 'storage.unavailable' });
    const atOnce = storage.transaction(async ({ settings }) => {
      const sets = Array.from({ length: 50 }, (_, n) => settings.set({ key: `at once ${n}`, value: '' }));
      await Promise.all([...sets, endAll()]);
      await pause(200);
    });
    await expect(atOnce).rejects.toMatchObject({ code: 'storage.unavailable' });
    expect(await keys()).toEqual([]);
  });

  it('makes a restore fail as a whole, at whatever point', async () => {
    const target = await createPostgresArchive({ url: database.url, logger: silentLogger }).target();
    const settings = target.kinds.find(({ name }) => name === 'settings');
    if (settings === undefined) throw new Error('there are no settings');
    const restore = target.fill(async (write) => {
      await write(settings, [{ setting_key: 'before', value: '' }]);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'baobab-archive' and datname = current_database()`;
      await pause(200);
      await write(settings, [{ setting_key: 'after', value: '' }]);
    });
    await expect(restore).rejects.toMatchObject({ code: 'storage.unavailable' });
    await target.close();
    expect(await keys()).toEqual([]);
  });
});

/** As the system of a server does whose processes were killed. */
describe('connections that are reset', () => {
  it('leave no statement without an answer that met one at that moment', async () => {
    const database = await createDatabase();
    const { hostname, port } = new URL(database.url);
    const proxy = await startProxy({ host: hostname, port: Number(port) });
    const url = Object.assign(new URL(database.url), { port: String(proxy.port) }).href;
    const limits = { silence: NEVER };
    const storage = createPostgresStorage({ url, logger: silentLogger, connections: 3 * CONNECTIONS, limits });
    let isOver = false;
    const answered = [0, 0, 0];
    const reader = async (i: number) => {
      while (!isOver) {
        await storage.settings.all().catch(() => undefined);
        answered[i] = (answered[i] ?? 0) + 1;
      }
    };
    const readers = answered.map((_, i) => reader(i));
    for (let round = 0; round < 5; round++) {
      // Opens all connections, of which most are idle afterwards.
      await Promise.all(Array.from({ length: 3 * CONNECTIONS }, () => storage.settings.all().catch(() => undefined)));
      await pause(20);
      proxy.reset();
      const before = [...answered];
      await expect.poll(() => answered.every((n, i) => n > (before[i] ?? 0) + 1)).toBe(true);
    }
    isOver = true;
    await Promise.all(readers);
    await storage.close();
    await proxy.cut();
    await database.drop();
  });
});
