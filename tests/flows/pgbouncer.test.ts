import { createPostgresStorage, inspectPostgres } from '@baobab/adapters/postgres';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Client, createClient } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { createDatabase } from '../support/databases.ts';
import { fences } from '../support/fences.ts';
import { silentLogger } from '../support/logger.ts';
import { readDocument } from '../support/markdown.ts';
import { until } from '../support/patience.ts';
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { startProgram } from '../support/program.ts';

const APP_CODE = 'code';
const ADMIN_PASSWORD = 'password of the administrator';

interface Database {
  readonly url: string;
  readonly name: string;
}

/** Settings of the deployment page, except addresses, users and the mode, which the test chooses. */
function documented(): string[] {
  const [block, ...others] = fences(readDocument('docs/deploy-postgres.md')).filter(({ info }) => info === 'pgbouncer');
  const lines = block?.text.split('[pgbouncer]')[1]?.trim().split('\n') ?? [];
  expect(others).toEqual([]);
  expect(lines).toContain('pool_mode = session');
  return lines.filter((line) => !/^(?:listen_|auth_|pool_mode)/.test(line));
}

let database: Database;
let sql: Sql;
const poolers: Partial<Record<'session' | 'transaction', PgBouncer>> = {};
const cleanups: Array<() => unknown> = [];

beforeAll(async () => {
  const created = await createDatabase();
  cleanups.push(created.drop);
  const { port, pathname } = new URL(created.url);
  database = { url: created.url, name: pathname.slice(1) };
  sql = postgres(created.url, { max: 1, onnotice: () => undefined });
  cleanups.push(() => sql.end());
  for (const mode of ['session', 'transaction'] as const) {
    const pooler = await startPgBouncer({ port: Number(port) }, mode, documented());
    poolers[mode] = pooler;
    cleanups.push(pooler.stop);
  }
});

afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

function through(mode: 'session' | 'transaction', name = database.name): string {
  const pooler = poolers[mode];
  if (pooler === undefined) throw new Error(`no pooler in mode ${mode}`);
  return pooler.url(name);
}

const environment = (url: string, listenUrl?: string) => ({
  DATABASE_URL: url,
  ...(listenUrl !== undefined && { DATABASE_LISTEN_URL: listenUrl }),
  BLOB_URL: 'memory:',
  SECRET_KEY: 'k'.repeat(40),
  APP_CODE,
  ADMIN_PASSWORD,
  RATE_LIMIT: 'off',
});

/** Two nodes with these variables, until the end of `work`. */
async function withNodes(
  env: Readonly<Record<string, string>>,
  work: (here: Client, there: Client) => Promise<void>,
): Promise<void> {
  const programs = [startProgram(env), startProgram(env)];
  try {
    const [here, there] = await Promise.all(
      programs.map(async (program) => createClient(await program.ready(), APP_CODE)),
    );
    if (here === undefined || there === undefined) throw new Error('two nodes were started');
    await work(here, there);
  } finally {
    await Promise.all(programs.map((program) => program.dispose()));
  }
}

const isCurrent = async (node: Client, token: string) => (await node('GET', '/me', { token })).status;

/** Work that needs notifications, locks, transactions, and statements of every kind. */
async function useEverything(here: Client, there: Client, name: string): Promise<void> {
  const authorization = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;
  const asAdmin = { headers: { authorization } };
  const signedUp = await here('POST', '/user', { body: { username: name, password: 'secret' } });
  const first: string = signedUp.data['X-BB-SESSION'];
  const second: string = (await there('POST', '/login', { body: { username: name, password: 'secret' } })).data[
    'X-BB-SESSION'
  ];
  // Each node has the other's session in its cache.
  for (const token of [first, second]) for (const node of [here, there]) expect(await isCurrent(node, token)).toBe(200);

  const collection = `notes_${name}`;
  expect((await here('POST', `/admin/collection/${collection}`, asAdmin)).status).toBeLessThan(300);
  for (let n = 1; n <= 8; n++) {
    const node = n % 2 === 0 ? here : there;
    expect((await node('POST', `/document/${collection}`, { token: first, body: { n } })).status).toBe(200);
  }
  // More often than a text must occur to be prepared.
  for (let n = 1; n <= 8; n++) {
    const { data } = await there('GET', `/document/${collection}?where=n%3D${n}`, { token: first });
    expect(data).toMatchObject([{ n }]);
  }
  const index = await here('PUT', `/admin/collection/${collection}/index/n`, asAdmin);
  expect(index.status).toBeLessThan(300);

  const body = { old: 'secret', new: 'another secret' };
  expect((await here('PUT', '/me/password', { token: first, body })).status).toBe(200);
  // At once, because the change is acknowledged when the other node has heard of it.
  expect(await isCurrent(there, second)).toBe(401);
  expect((await there('POST', '/login', { body: { username: name, password: 'another secret' } })).status).toBe(200);
}

const advisoryLocks = async () =>
  sql<{ name: string }[]>`select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
    where l.locktype = 'advisory' and a.datname = current_database()`;

describe('PgBouncer in session mode', () => {
  it('serves two nodes', async () => {
    await withNodes(environment(through('session')), (here, there) => useEverything(here, there, 'ann'));
  });

  it('has connections with the parameters of the session', async () => {
    const storage = createPostgresStorage({
      url: through('session'),
      logger: silentLogger,
      limits: { statement: 200 },
    });
    await storage.health();
    const [row] = await sql<{ query: string }[]>`select query from pg_stat_activity
      where datname = current_database() and application_name = 'baobab' limit 1`;
    expect(row).toBeDefined();
    const blocker = postgres(database.url, { max: 1, onnotice: () => undefined });
    await blocker`begin`;
    await blocker`lock table settings in access exclusive mode`;
    await expect(storage.settings.all()).rejects.toMatchObject({
      code: 'storage.unavailable',
      cause: { code: '57014' },
    });
    await blocker`rollback`;
    await blocker.end();
    await storage.close();
  });

  it('suits the doctor, who connects as a start does', async () => {
    const { output, code } = await runCommand(['doctor'], environment(through('session')));
    expect(output).toMatch(/ok +database +Postgres \d+/);
    expect(code).toBe(1); // the well-known APP_CODE and the like
  });
});

describe('PgBouncer in transaction mode', () => {
  const REFUSAL = /transaction mode.*DATABASE_LISTEN_URL/;

  it('is refused at the start in one line', async () => {
    const program = startProgram(environment(through('transaction')));
    try {
      expect((await program.exit).code).toBe(1);
      expect(program.output() + program.errors()).toMatch(REFUSAL);
      expect(program.output() + program.errors()).not.toMatch(/^\s+at /m);
    } finally {
      await program.dispose();
    }
  });

  it('is reported by the doctor', async () => {
    const { output, code } = await runCommand(['doctor'], environment(through('transaction')));
    expect(output).toMatch(REFUSAL);
    expect(code).toBe(1);
  });

  it.each([
    ['returns the connection that was used last', []],
    ['takes turns', ['server_round_robin = 1']],
    ['has a single connection', ['default_pool_size = 1']],
    ['has more connections than are needed', ['min_pool_size = 12']],
  ])('is recognized when the pooler %s', async (_what, settings) => {
    const pooler = await startPgBouncer({ port: Number(new URL(inject('postgresUrl')).port) }, 'transaction', settings);
    const url = pooler.url(database.name);
    try {
      for (let round = 0; round < 3; round++) {
        await expect(inspectPostgres({ url })).rejects.toMatchObject({ code: 'storage.misconfigured' });
      }
    } finally {
      await pooler.stop();
    }
  });

  it('is refused with parameters of the database that cannot be set there', async () => {
    const other = await createDatabase();
    cleanups.push(other.drop);
    const name = new URL(other.url).pathname.slice(1);
    const url = through('transaction', name);
    const unmet = async () => (await inspectPostgres({ url, listenUrl: other.url })).unmet;
    expect(await unmet()).toEqual([]);
    await sql.unsafe(`alter database ${name} set default_transaction_isolation = 'serializable'`);
    await sql.unsafe(`alter database ${name} set statement_timeout = '30s'`);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    await until(async () => (await unmet()).length > 0);
    const problem = expect.stringMatching(
      /^default_transaction_isolation is serializable .* and must be read committed$/,
    );
    const remedy = `use ALTER DATABASE "${name}" RESET default_transaction_isolation`;
    expect(await unmet()).toEqual([{ problem, remedy }]);
    const { exit, errors } = startProgram(environment(url, other.url));
    expect((await exit).code).toBe(1);
    expect(errors()).toContain(remedy);
  });

  it('serves two nodes that listen on a direct connection', async () => {
    const env = environment(through('transaction'), database.url);
    await withNodes(env, async (here, there) => {
      await useEverything(here, there, 'bob');
      // Two nodes listen. Locks on connections of the pool would stay there.
      expect((await advisoryLocks()).map(({ name }) => name)).toEqual(['baobab listener', 'baobab listener']);
    });
  });

  it('answers statements that are sent in the same turn', async () => {
    const storage = createPostgresStorage({
      url: through('transaction'),
      listenUrl: database.url,
      logger: silentLogger,
      limits: { silence: 2_000 },
    });
    await storage.migrate();
    for (let round = 0; round < 20; round++) {
      await Promise.all([storage.mails.nextDue(), storage.collections.findName('x'), storage.mails.nextDue()]);
    }
    await storage.close();
  });

  it('is not suitable for the direct connection', async () => {
    const storage = createPostgresStorage({
      url: through('transaction'),
      listenUrl: through('transaction'),
      logger: silentLogger,
    });
    await expect(storage.migrate()).rejects.toMatchObject({ code: 'storage.misconfigured' });
    await storage.close();
  });

  it('is refused with a direct connection to another database', async () => {
    const other = await createDatabase();
    const storage = createPostgresStorage({
      url: through('transaction'),
      listenUrl: other.url,
      logger: silentLogger,
    });
    let trusted = false;
    storage.signals.subscribe(() => {
      trusted ||= storage.signals.live;
    });
    await expect(storage.migrate()).rejects.toMatchObject({ code: 'storage.misconfigured' });
    expect(trusted).toBe(false);
    await storage.close();
    await other.drop();
  });
});

describe('a connection that listens', () => {
  it('is live again after the pooler was restarted', async () => {
    const storage = createPostgresStorage({ url: database.url, listenUrl: database.url, logger: silentLogger });
    storage.signals.subscribe(() => undefined);
    await until(() => storage.signals.live);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'baobab listener' and datname = current_database()`;
    await until(() => !storage.signals.live);
    await until(() => storage.signals.live);
    await storage.close();
  });
});
