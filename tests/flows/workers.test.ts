import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../support/client.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { pinned } from '../support/pinned.ts';
import { type Program, startProgram } from '../support/program.ts';

const WORKERS = 3;
const SETTINGS = { APP_CODE: 'code', ADMIN_PASSWORD: 'admin password', SECRET_KEY: 'k'.repeat(32), RATE_LIMIT: 'off' };

type Environment = Readonly<Record<string, string>>;

const cleanups: Array<() => unknown> = [];
async function clean(): Promise<void> {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
}

function onSqlite(): Environment {
  const { path, remove } = createFolder();
  cleanups.push(remove);
  return { ...SETTINGS, DATA_DIR: path, WORKERS: String(WORKERS) };
}

async function onPostgres(): Promise<Environment> {
  const { url, drop } = await createDatabase();
  cleanups.push(drop);
  return { ...onSqlite(), DATABASE_URL: url, DATABASE_CONNECTIONS: '4' };
}

function start(environment: Environment): Program {
  const program = startProgram(environment);
  cleanups.push(() => program.dispose());
  return program;
}

async function serving(environment: Environment) {
  const program = start(environment);
  const address = await program.ready();
  await program.line('"msg":"all workers serve"');
  const client = createClient(address, SETTINGS.APP_CODE);
  const { data } = await client('POST', '/login', { body: { username: 'admin', password: SETTINGS.ADMIN_PASSWORD } });
  const token: string = data['X-BB-SESSION'];
  return { program, address, client, token };
}

/** Process that responds: it marks the requests that it receives. */
async function workerOf(call: Client): Promise<string> {
  const id = String((await call('GET', '/health/live')).headers['x-request-id']);
  return id.slice(0, id.lastIndexOf('-'));
}

/** A connection to each worker. */
async function eachWorker(address: string): Promise<Client[]> {
  const found = new Map<string, Client>();
  for (let tries = 0; found.size < WORKERS && tries < 300; tries++) {
    const { client, close } = await pinned(address, SETTINGS.APP_CODE);
    cleanups.push(close);
    found.set(await workerOf(client), client);
  }
  expect(found.size).toBe(WORKERS);
  return [...found.values()];
}

describe.each([
  ['SQLite', onSqlite],
  ['Postgres', onPostgres],
])('several processes on one port, on %s', (_name, environment) => {
  // One service for all tests, because a start loads the program four times. The last test stops it.
  let service: Awaited<ReturnType<typeof serving>>;
  beforeAll(async () => {
    service = await serving(await environment());
  });
  afterAll(clean);

  it('are one service: a change by one of them takes effect on all', async () => {
    const { address, client, token } = service;
    await client('POST', '/admin/collection/books', { token });
    const workers = await eachWorker(address);
    for (const [index, worker] of workers.entries()) {
      const name = `ann${index}`;
      const body = { username: name, password: 'secret' };
      const { data } = await worker('POST', '/user', { body });
      const session = { token: data['X-BB-SESSION'] };
      const statuses = () => Promise.all(workers.map(async (call) => (await call('GET', '/me', session)).status));
      const all = async (status: number) => expect(await statuses()).toEqual(Array(WORKERS).fill(status));
      // Writes are visible immediately, and then every worker has cached the session.
      expect(await statuses()).toEqual(Array(WORKERS).fill(200));
      const { data: book } = await worker('POST', '/document/books', { ...session, body: { index } });
      for (const call of workers)
        expect((await call('GET', `/document/books/${book.id}`, session)).data.index).toBe(index);

      await worker('PUT', `/admin/user/suspend/${name}`, { token, body: {} });
      await all(401);
      await worker('PUT', `/admin/user/activate/${name}`, { token, body: {} });
      const { data: again } = await worker('POST', '/login', { body });
      session.token = again['X-BB-SESSION'];
      expect(await statuses()).toEqual(Array(WORKERS).fill(200));
      await worker('POST', '/logout', session);
      await all(401);

      const key = '/admin/configuration/Application/application.name';
      await worker('PUT', key, { token, body: { value: name } });
      const isSeenBy = async (call: Client) =>
        JSON.stringify((await call('GET', '/admin/configuration/Application', { token })).data).includes(name);
      expect(await Promise.all(workers.map(isSeenBy))).toEqual(Array(WORKERS).fill(true));
    }
    expect((await client('GET', '/health/ready')).status).toBe(200);
  });

  it('write concurrently', async () => {
    const { address, client, token } = service;
    await client('POST', '/admin/collection/pages', { token });
    const workers = await eachWorker(address);
    const { data } = await (workers[0] as Client)('POST', '/document/pages', { token, body: { n: 0 } });
    const write = async (call: Client, index: number) => {
      const field = `/document/pages/${data.id}/.f${index}`;
      for (let n = 0; n < 30; n++) {
        expect((await call('PUT', field, { token, body: { data: n } })).status).toBe(200);
        expect((await call('POST', '/document/pages', { token, body: { n } })).status).toBeLessThan(300);
      }
    };
    await Promise.all(workers.map(write));
    for (const call of workers) {
      expect((await call('GET', '/document/pages/count', { token })).data.count).toBe(1 + WORKERS * 30);
      const book = (await call('GET', `/document/pages/${data.id}`, { token })).data;
      expect([book.f0, book.f1, book.f2]).toEqual([29, 29, 29]);
    }
  });

  it('add up their metrics', async () => {
    const { address, client } = service;
    const workers = await eachWorker(address);
    const basic = { headers: { authorization: `Basic ${btoa(`admin:${SETTINGS.ADMIN_PASSWORD}`)}` } };
    // Counting begins with the first scrape.
    await client('GET', '/metrics', basic);
    for (const call of workers) for (let n = 0; n < 5; n++) await call('GET', '/user/nobody', basic);
    const line = 'http_request_duration_seconds_count{method="GET",route="/user/:username",status="404"} ';
    for (const call of workers) {
      const { text } = await call('GET', '/metrics', basic);
      expect(text).toContain(`${line}${WORKERS * 5}\n`);
    }
  });

  it('lose nothing that was acknowledged when one of them is killed and replaced', async () => {
    const { program, address, client, token } = service;
    await client('POST', '/admin/collection/letters', { token });
    const acknowledged: string[] = [];
    let running = true;
    const load = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (running) {
          const answer = await client('POST', '/document/letters', { token, body: { n: 1 } }).catch(() => null);
          if (answer?.status === 200 || answer?.status === 201) acknowledged.push(answer.data.id);
        }
      }),
    );
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50);
    const [victim] = program.children();
    expect(victim).toBeGreaterThan(0);
    process.kill(victim as number, 'SIGKILL');
    expect(JSON.parse(await program.line('worker exited, restarting'))).toMatchObject({ signal: 'SIGKILL', wait: 100 });
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 50);
    await expect.poll(() => program.output().split('"msg":"all workers serve"').length).toBe(3);
    running = false;
    await load;
    expect(program.children()).toHaveLength(WORKERS);
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
    for (const worker of await eachWorker(address)) {
      const { data } = await worker('GET', '/document/letters/count', { token });
      expect(data.count).toBeGreaterThanOrEqual(acknowledged.length);
    }
    const answers = await Promise.all(acknowledged.map((id) => client('GET', `/document/letters/${id}`, { token })));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  });

  it('finish requests in progress when they are told to stop, and exit with 0', async () => {
    const { program, address, client, token } = service;
    const outcomes: number[] = [];
    const calls = Array.from({ length: 30 }, async (_, n) => {
      outcomes.push((await client('POST', '/user', { body: { username: `bob${n}`, password: 'secret' } })).status);
    });
    const allCalls = Promise.allSettled(calls);
    await expect.poll(() => outcomes.length, { interval: 5 }).toBeGreaterThan(2);
    program.kill('SIGTERM');
    expect(await program.exit).toEqual({ code: 0, signal: null });
    const ended = await allCalls;
    expect(outcomes.every((status) => status === 201)).toBe(true);
    expect(ended.filter(({ status }) => status === 'fulfilled').length).toBe(outcomes.length);
    await expect(fetch(`${address}/health/live`)).rejects.toThrow();
    expect(token).not.toBe('');
  });
});

describe('several processes', () => {
  afterEach(clean);

  it('create the administrator once, before the others start', async () => {
    const { ADMIN_PASSWORD: _none, ...environment } = onSqlite() as Record<string, string>;
    const program = start(environment);
    await program.line('"msg":"all workers serve"');
    expect(program.output().split('The administrator "admin" was created').length).toBe(2);
    expect(program.output().indexOf('The administrator')).toBeLessThan(program.output().indexOf('"msg":"ready"'));
  });

  it('exit with 0 when the whole process group is told to stop', async () => {
    const { program } = await serving(onSqlite());
    for (const pid of program.children()) process.kill(pid, 'SIGTERM');
    program.kill('SIGTERM');
    expect(await program.exit).toEqual({ code: 0, signal: null });
  });

  it('do not start on a database or blob store that they cannot share', async () => {
    for (const [variable, env] of [
      ['DATABASE_URL', { DATABASE_URL: 'memory:' }],
      ['BLOB_URL', { BLOB_URL: 'memory:' }],
    ] as const) {
      const program = start({ ...onSqlite(), ...env });
      expect(await program.exit).toEqual({ code: 1, signal: null });
      expect(program.errors()).toBe(
        `baobab: WORKERS must be 1 because ${variable} is memory:, which processes cannot share\n`,
      );
    }
  });

  it('do not start when the first of them cannot, and report the reason once', async () => {
    const taken = new URL(await start({ DATABASE_URL: 'memory:' }).ready()).port;
    const program = start({ ...onSqlite(), PORT: taken });
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.errors()).toMatch(/^baobab: PORT: another program listens on port \d+; .*\n$/);
  });
});
