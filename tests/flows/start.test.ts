import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, it } from 'vitest';
import { s3Options, s3Url } from '../support/blobs.ts';
import { createClient } from '../support/client.ts';
import { pause } from '../support/patience.ts';
import type { Program } from '../support/program.ts';
import { startProxy, type TcpProxy } from '../support/proxy.ts';
import { createSetUp, SETTINGS } from '../support/set-up.ts';

const { cleanups, folder, database, start } = createSetUp();
const emptyDatabase = () => database({ empty: true });

const statusOf = async (address: string, path: string) => (await fetch(address + path)).status;

async function until(address: string, path: string, wanted: number): Promise<Response> {
  for (;;) {
    const response = await fetch(address + path);
    if (response.status === wanted) return response;
    await response.text();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A program whose connection to its database can be cut. */
async function behindProxy({ cut = false } = {}): Promise<{ program: Program; proxy: TcpProxy }> {
  const url = new URL(await emptyDatabase());
  const proxy = await startProxy({ host: url.hostname, port: Number(url.port) });
  cleanups.push(() => proxy.cut());
  url.port = String(proxy.port);
  if (cut) await proxy.cut();
  return { program: start({ DATABASE_URL: url.href }), proxy };
}

it('names every variable that is invalid, a line for each, and exits with 1', async () => {
  const wrong = {
    PORT: '70000',
    DATABASE_URL: 'mysql://ann:secret-password@localhost/x',
    DATABASE_CONNECTIONS: '0',
    SECRET_KEY: 'secret-but-short',
    LOG_LEVEL: 'loud',
    TRUST_PROXY: 'yes',
    MAX_JSON_BYTES: '1MB',
    MAX_PAGE_SIZE: '-1',
  };
  const program = start(wrong);
  expect(await program.exit).toEqual({ code: 1, signal: null });
  const lines = program.errors().trimEnd().split('\n');
  const named = lines.map((line) => /^baobab: ([A-Z_]+) must be \S/.exec(line)?.[1]);
  expect(named.toSorted()).toEqual(Object.keys(wrong).toSorted());
  expect(program.errors()).not.toContain('secret-');
});

it.each([
  ['a port in use', async () => ({ PORT: new URL(await start({ DATABASE_URL: 'memory:' }).ready()).port })],
  ['an address of another machine', async () => ({ HOST: '192.0.2.1', DATABASE_URL: 'memory:' })],
  [
    'a database file that is not a database',
    async () => {
      const path = join(folder(), 'some.db');
      writeFileSync(path, 'this is no database, whatever its name says '.repeat(100));
      return { DATABASE_URL: `sqlite:${path}` };
    },
  ],
  [
    'a data folder that is a file',
    async () => {
      const path = join(folder(), 'file');
      writeFileSync(path, '');
      return { DATA_DIR: path };
    },
  ],
])('reports %s in one line, and exits with 1', async (_what, environment) => {
  const program = start(await environment());
  expect(await program.exit).toEqual({ code: 1, signal: null });
  expect(program.errors()).toMatch(/^baobab: .{10,}\n$/);
});

it('lets several programs start at once on one empty Postgres database, as one service', async () => {
  const DATABASE_URL = await emptyDatabase();
  const programs = Array.from({ length: 3 }, () => start({ DATABASE_URL }));
  const addresses = await Promise.all(programs.map((program) => program.ready()));
  const body = { username: 'admin', password: SETTINGS.ADMIN_PASSWORD };
  const { data } = await createClient(addresses[0] ?? '', 'code')('POST', '/login', { body });
  for (const address of addresses) {
    const me = await createClient(address, 'code')('GET', '/me', { token: data['X-BB-SESSION'] });
    expect([me.status, me.data.id]).toEqual([200, data.id]);
  }
});

it('is alive but not ready while Postgres is unreachable, and recovers automatically', async () => {
  const { program, proxy } = await behindProxy();
  const address = await program.ready();
  const client = createClient(address, 'code');
  expect(await statusOf(address, '/health/ready')).toBe(200);
  await proxy.cut();
  const refused = await until(address, '/health/ready', 503);
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(await refused.json()).toMatchObject({ result: 'error', http_code: 503 });
  const login = await client('POST', '/login', { body: { username: 'admin', password: 'x' } });
  expect([login.status, login.headers['retry-after']]).toEqual([503, expect.any(String)]);
  expect(await statusOf(address, '/health/live')).toBe(200);
  await proxy.mend();
  await until(address, '/health/ready', 200);
  const body = { username: 'admin', password: SETTINGS.ADMIN_PASSWORD };
  expect((await client('POST', '/login', { body })).status).toBe(200);
});

it('is not ready while Postgres does not answer', async () => {
  const { program, proxy } = await behindProxy();
  const address = await program.ready();
  proxy.freeze();
  expect(await statusOf(address, '/health/ready')).toBe(503);
  expect(await statusOf(address, '/health/live')).toBe(200);
});

it('waits for a Postgres server that starts later, and then becomes ready', async () => {
  const { program, proxy } = await behindProxy({ cut: true });
  await program.line('database unavailable, retrying');
  await proxy.mend();
  expect(await statusOf(await program.ready(), '/health/ready')).toBe(200);
});

const waits = (program: Program) =>
  program
    .output()
    .split('\n')
    .filter((line) => line.includes('unavailable, retrying'))
    .map((line) => JSON.parse(line));

it('waits for a blob store that starts later, and logs that once', async () => {
  const options = s3Options();
  const { hostname, port } = new URL(options.endpoint ?? '');
  const proxy = await startProxy({ host: hostname, port: Number(port) });
  cleanups.push(() => proxy.cut());
  await proxy.cut();
  const { accessKeyId = '', secretAccessKey = '' } = options.credentials ?? {};
  const program = start({
    DATABASE_URL: 'memory:',
    BLOB_URL: s3Url({ ...options, endpoint: `http://127.0.0.1:${proxy.port}` }),
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  });
  await program.line('blob store unavailable, retrying');
  await pause(3_000); // some more retries
  await proxy.mend();
  expect(await statusOf(await program.ready(), '/health/ready')).toBe(200);
  expect(waits(program)).toEqual([expect.objectContaining({ level: 40, reason: expect.stringContaining('REFUSED') })]);
  expect(program.output()).not.toContain('"stack"');
});

it('logs once for each state what it waits for', async () => {
  const url = new URL(await emptyDatabase());
  const proxy = await startProxy({ host: url.hostname, port: Number(url.port) });
  cleanups.push(() => proxy.cut());
  await proxy.cut();
  url.port = String(proxy.port);
  url.pathname += '_missing';
  const program = start({ DATABASE_URL: url.href });
  await program.line('REFUSED');
  await pause(2_000);
  await proxy.mend();
  await program.line('does not exist');
  await pause(2_000);
  expect(waits(program).map(({ reason }) => /REFUSED|does not exist/.exec(reason)?.[0])).toEqual([
    'REFUSED',
    'does not exist',
  ]);
});

it('logs that the database does not exist, and continues when it does', async () => {
  const url = await emptyDatabase();
  const program = start({ DATABASE_URL: `${url}_later` });
  expect(await program.line('database unavailable, retrying')).toContain('does not exist');
  const sql = postgres(url, { max: 1 });
  const name = `${new URL(url).pathname.slice(1)}_later`;
  await sql.unsafe(`create database ${name}`);
  cleanups.push(async () => {
    await program.dispose();
    await sql.unsafe(`drop database ${name} with (force)`);
    await sql.end();
  });
  expect(await statusOf(await program.ready(), '/health/ready')).toBe(200);
});

it('exits with 0 when it is told to stop while it waits for its database', async () => {
  const program = start({ DATABASE_URL: 'postgres://baobab@127.0.0.1:1/none' });
  await program.line('database unavailable, retrying');
  program.kill('SIGTERM');
  expect(await program.exit).toEqual({ code: 0, signal: null });
});
