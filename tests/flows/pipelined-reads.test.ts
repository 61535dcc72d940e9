import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createPostgresStorage } from '@baobab/adapters/postgres';
import { addUser } from '@baobab/contracts/storage';
import type { Storage } from '@baobab/core';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { pause } from '../support/patience.ts';

/** More than one pipeline holds. */
const MANY = 100;
const MAX_WAITING = 40;

/** Reads by key share connections, which must not be visible to callers. */
describe('pipelined reads of Postgres', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let storage: Storage;
  let sql: postgres.Sql;
  let users: { readonly id: string; readonly name: string }[];

  beforeEach(async () => {
    database = await createDatabase();
    sql = postgres(database.url, { max: 2, onnotice: () => undefined });
    const seeding = createPostgresStorage({ url: database.url, logger: silentLogger });
    users = await Promise.all(Array.from({ length: MANY }, (_, n) => addUser(seeding, `User${n}`)));
    await seeding.close();
    const url = database.url;
    storage = createPostgresStorage({ url, logger: silentLogger, connections: 1, maxWaiting: MAX_WAITING });
  });
  afterEach(async () => {
    await storage.close();
    await sql.end();
    await database.drop();
  });

  const read = (count: number) => users.slice(0, count).map(({ id }) => storage.users.find(id));
  const namesOf = (count: number) => users.slice(0, count).map(({ name }) => name);
  async function settledNames(reads: readonly Promise<{ readonly name: string } | null>[]) {
    const settled = await Promise.allSettled(reads);
    return settled.map((one) => (one.status === 'fulfilled' ? one.value?.name : one.reason.code));
  }
  const unavailable = (count: number) => Array.from({ length: count }, () => 'storage.unavailable');

  it('give every caller the right answer, and use no more connections than the limit', async () => {
    expect(await settledNames(read(32 + MAX_WAITING))).toEqual(namesOf(32 + MAX_WAITING));
    const [known] = users;
    if (known === undefined) throw new Error('there are no users');
    const mixed = Array.from({ length: 30 }, (_, n) => storage.users.find(n % 3 === 0 ? known.id : `no uuid ${n}`));
    const outcomes = await Promise.allSettled(mixed);
    expect(outcomes.map(({ status }) => status)).toEqual(mixed.map((_, n) => (n % 3 === 0 ? 'fulfilled' : 'rejected')));
    expect(await settledNames(read(30))).toEqual(namesOf(30));
  });

  it('fail individually, including the first on a connection', async () => {
    const reads = [storage.users.find('no uuid'), ...read(20)];
    const [first, ...others] = await Promise.allSettled(reads);
    expect(first).toMatchObject({ status: 'rejected', reason: { code: '22P02' } });
    expect(others.map((one) => one.status === 'fulfilled' && one.value?.name)).toEqual(namesOf(20));
  });

  it("queue for a connection with other statements, and are rejected beyond the queue's limit", async () => {
    let reads: Promise<unknown[]> = Promise.resolve([]);
    await storage.transaction(async () => {
      reads = settledNames(read(MANY));
      await pause(50);
    });
    expect(await reads).toEqual([...namesOf(MAX_WAITING), ...unavailable(MANY - MAX_WAITING)]);
    expect(await settledNames(read(30))).toEqual(namesOf(30));
  });

  it('fail together when the server ends their connection, and no later ones do', async () => {
    const outcomes = await sql.begin(async (transaction) => {
      await transaction`lock table users in access exclusive mode`;
      const reads = settledNames(read(50));
      await expect
        .poll(async () => {
          const [row] = await sql`select count(*)::int as n from pg_stat_activity
            where application_name = 'baobab' and datname = current_database() and wait_event_type = 'Lock'`;
          return row?.n;
        })
        .toBe(1);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'baobab' and datname = current_database()`;
      return { reads };
    });
    expect(await outcomes.reads).toEqual([...unavailable(32), ...namesOf(50).slice(32)]);
    expect(await settledNames(read(30))).toEqual(namesOf(30));
  });
});

describe('a Postgres server that accepts connections and does not answer', () => {
  it('makes all reads fail after one timeout, not one after the other', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const storage = createPostgresStorage({
      url: `postgres://nobody:nothing@127.0.0.1:${port}/nothing`,
      logger: silentLogger,
      connections: 2,
    });
    const reads = Array.from({ length: 30 }, () => storage.users.find(crypto.randomUUID()));
    const codes = (await Promise.allSettled(reads)).map((one) => one.status === 'rejected' && one.reason.code);
    expect(new Set(codes)).toEqual(new Set(['storage.unavailable']));
    await storage.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});
