import { createPostgresStorage } from '@baobab/adapters/postgres';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../support/client.ts';
import { createDatabase } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { until } from '../support/patience.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type Program, startProgram } from '../support/program.ts';

const APP_CODE = 'code';

const environment = (url: string) => ({
  DATABASE_URL: url,
  BLOB_URL: 'memory:',
  SECRET_KEY: 'k'.repeat(40),
  APP_CODE,
  ADMIN_PASSWORD: 'password of the administrator',
  RATE_LIMIT: 'off',
});

interface Running {
  readonly program: Program;
  readonly node: Client;
  readonly token: string;
}

const cleanups: Array<() => unknown> = [];

async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
}

async function start(url: string): Promise<Running> {
  const program = startProgram(environment(url));
  cleanups.push(() => program.dispose());
  const node = createClient(await program.ready(), APP_CODE);
  const authorization = `Basic ${Buffer.from('admin:password of the administrator').toString('base64')}`;
  await node('POST', '/admin/collection/notes', { headers: { authorization } });
  const { data } = await node('POST', '/user', { body: { username: 'ann', password: 'secret' } });
  return { program, node, token: data['X-BB-SESSION'] };
}

const write = ({ node, token }: Running) => node('POST', '/document/notes', { token, body: { n: 1 } });

/** Several at a time, as they come in: every connection of the pool is used. */
const writes = async (running: Running) => Promise.all(Array.from({ length: 12 }, () => write(running)));

/** Until writes succeed again. Until then each of them is 503 with the time of the next attempt. */
async function untilWritable(running: Running): Promise<void> {
  await until(async () => {
    const answers = await writes(running);
    for (const { status, headers } of answers) {
      expect([200, 503]).toContain(status);
      if (status === 503) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    return answers.every(({ status }) => status === 200);
  });
}

/** Expects no stacks in the log, and no failure again and again: the listener may lose a few connections. */
function expectQuiet({ program }: Running): void {
  const lines = `${program.output()}\n${program.errors()}`.split('\n');
  expect(lines.filter((line) => /^\s+at |"stack"/.test(line))).toEqual([]);
  const failures = lines.filter((line) => /"level":"?(?:40|50|warn|error)/.test(line)).map((line) => JSON.parse(line));
  const kinds = failures.map(({ msg, reason }) => `${msg} ${String(reason).replace(/\(.*/s, '')}`);
  expect(kinds.length).toBeLessThanOrEqual(2 * new Set(kinds).size);
}

describe('a failover to a streaming replica', () => {
  let primary: PostgresServer;
  let replica: PostgresServer;

  beforeAll(async () => {
    primary = await startPostgres();
    replica = await startPostgres({ replicaOf: primary });
  });

  afterAll(async () => {
    await cleanUp();
    await replica.stop();
    await primary.stop();
  });

  it('needs no restart where the URL names both servers', async () => {
    const url = `postgres://baobab@127.0.0.1:${primary.port},127.0.0.1:${replica.port}/postgres`;
    const running = await start(url);
    const before = await running.node('GET', '/document/notes?count=true', { token: running.token });
    expect(before.status).toBe(200);
    const sql = postgres(replica.url, { max: 1, onnotice: () => undefined });
    const received = postgres(primary.url, { max: 1, onnotice: () => undefined });
    await until(async () => {
      const [row] = await received`select bool_and(replay_lsn >= pg_current_wal_lsn()) as yes from pg_stat_replication`;
      return row?.yes === true;
    });
    await received.end();
    process.kill(primary.pid(), 'SIGQUIT');
    await until(async () => (await write(running)).status === 503);
    await sql`select pg_promote()`;
    await untilWritable(running);
    // The session of before, and notifications of the new server.
    expect((await running.node('GET', '/me', { token: running.token })).status).toBe(200);
    await until(async () => {
      const rows = await sql`select 1 from pg_stat_activity where application_name = 'baobab listener'`;
      return rows.length === 1;
    });
    await sql.end();
    expectQuiet(running);
  });
});

describe('a server that no longer accepts writes', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;

  beforeAll(async () => {
    database = await createDatabase();
  });

  afterEach(cleanUp);
  afterAll(() => database.drop());

  /** Existing connections of this database learn of it with their next statement outside a transaction, new ones at once. */
  async function makeReadOnly(isReadOnly: boolean): Promise<void> {
    const name = new URL(database.url).pathname.slice(1);
    const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
    await sql`set default_transaction_read_only = off`;
    await sql`alter database ${sql(name)} set default_transaction_read_only = ${sql.unsafe(isReadOnly ? 'on' : 'off')}`;
    if (isReadOnly) {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`;
    }
    await sql.end();
  }

  it('is read, answers writes with 503, and serves them as soon as it can', async () => {
    const running = await start(database.url);
    await writes(running);
    await makeReadOnly(true);
    await until(async () => (await write(running)).status === 503);
    for (const { status, headers, text } of await writes(running)) {
      expect([status, text]).toEqual([503, expect.stringContaining('storage.unavailable')]);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect((await running.node('GET', '/me', { token: running.token })).status).toBe(200);
    // The connections of the pool still say that they are read-only: only new ones can write.
    await makeReadOnly(false);
    await untilWritable(running);
    expectQuiet(running);
  });

  it('is replaced by one that accepts them, on connections that are still open', async () => {
    const storage = createPostgresStorage({ url: database.url, logger: silentLogger, connections: 4 });
    cleanups.push(() => storage.close());
    const set = () => storage.settings.set({ key: 'any', value: String(Math.random()) });
    await makeReadOnly(true);
    await Promise.allSettled(Array.from({ length: 4 }, set));
    await makeReadOnly(false);
    await until(async () =>
      (await Promise.allSettled(Array.from({ length: 4 }, set))).every(({ status }) => status === 'fulfilled'),
    );
  });
});

describe('a schema that vanishes during a restore', () => {
  it('is 503 until it is back, without a restart', async () => {
    const database = await createDatabase();
    cleanups.push(database.drop);
    const running = await start(database.url);
    await writes(running);
    const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
    await sql`alter schema public rename to former`;
    await sql`create schema public`;
    const during = await Promise.all([
      write(running),
      running.node('GET', '/document/notes', { token: running.token }),
      running.node('POST', '/login', { body: { username: 'ann', password: 'secret' } }),
    ]);
    for (const { status, headers } of during) {
      expect(status).toBe(503);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    await sql`drop schema public`;
    await sql`alter schema former rename to public`;
    await untilWritable(running);
    // A prepared statement whose result has changed is prepared again.
    await sql`alter table settings add column added int`;
    await sql`alter table documents add column added int`;
    await untilWritable(running);
    await sql.end();
    expectQuiet(running);
    await cleanUp();
  });
});

describe('a connection that can never listen', () => {
  it('is reported once, and shown by the checks', async () => {
    const database = await createDatabase();
    cleanups.push(database.drop);
    const url = new URL(database.url);
    const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
    const role = `listener_${Math.random().toString(36).slice(2)}`;
    await sql`create role ${sql(role)} login superuser`;
    cleanups.push(async () => {
      await sql`drop role ${sql(role)}`;
      await sql.end();
    });
    url.username = role;
    const program = startProgram({ ...environment(database.url), DATABASE_LISTEN_URL: url.href });
    cleanups.push(() => program.dispose());
    const node = createClient(await program.ready(), APP_CODE);
    const authorization = `Basic ${Buffer.from('admin:password of the administrator').toString('base64')}`;
    const check = async () => {
      const { data } = await node('GET', '/admin/checks', { headers: { authorization } });
      return data.find((one: { check: string }) => one.check === 'database');
    };
    await expect.poll(async () => (await check()).state).toBe('ok');
    await sql`alter role ${sql(role)} nologin`;
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${role}`;
    await program.line('cannot listen for notifications');
    expect(await check()).toMatchObject({ state: 'fault', text: expect.stringContaining('no notifications') });
    await sql`alter role ${sql(role)} login`;
    await program.line('notifications arrive again');
    await expect.poll(async () => (await check()).state).toBe('ok');
    const lines = program
      .output()
      .split('\n')
      .filter((line) => line.includes('cannot listen for notifications'));
    expect(lines).toHaveLength(1);
    await cleanUp();
  });
});
