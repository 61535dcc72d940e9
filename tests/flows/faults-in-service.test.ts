import { execFileSync } from 'node:child_process';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { createClient } from '../support/client.ts';
import { createDatabase } from '../support/databases.ts';
import { until } from '../support/patience.ts';
import { PROGRAM, type Program, startProgram } from '../support/program.ts';
import { startProxy } from '../support/proxy.ts';
import { createSetUp, SETTINGS } from '../support/set-up.ts';

/** The largest file that the program may write, in KiB: more than an empty database needs. */
const FILE_LIMIT_KIB = 6_144;
const REFUSED_WRITES = 5;

const { cleanups, folder } = createSetUp();

/** Lines of the log that name a fault. */
const faults = (program: Program) =>
  program
    .output()
    .split('\n')
    .filter((line) => line.includes('"reason"'))
    .map((line) => JSON.parse(line));

/** Its answers are in the log, and all that was logged before them. */
async function flushed(program: Program, address: string): Promise<void> {
  await fetch(`${address}/health/live?flushed`);
  await program.line('"/health/live"');
}

describe('a disk that takes no more', () => {
  async function onSmallDisk() {
    const limited = `
      const { spawn } = require('node:child_process');
      const command = 'ulimit -S -f ${FILE_LIMIT_KIB}; exec "$0" "$1"';
      const child = spawn('bash', ['-c', command, process.execPath, ${JSON.stringify(PROGRAM)}], { stdio: 'inherit' });
      process.on('SIGTERM', () => child.kill('SIGKILL'));
      child.on('exit', () => process.exit(0));
    `;
    const program = startProgram(
      { ...SETTINGS, DATA_DIR: folder(), PATH: process.env.PATH ?? '' },
      { command: ['-e', limited] },
    );
    cleanups.push(async () => {
      program.kill('SIGTERM');
      await program.exit;
    });
    const address = await program.ready();
    const call = createClient(address, SETTINGS.APP_CODE);
    const body = { username: 'admin', password: SETTINGS.ADMIN_PASSWORD };
    const token: string = (await call('POST', '/login', { body })).data['X-BB-SESSION'];
    return { program, address, call, token };
  }

  it('is reported once for all refused documents, and without a stack', async () => {
    const { program, address, call, token } = await onSmallDisk();
    await call('POST', '/admin/collection/notes', { token });
    const body = { text: 'x'.repeat(900_000) };
    const write = async () => (await call('POST', '/document/notes', { token, body })).status;
    await until(async () => (await write()) === 503);
    for (let times = 1; times < REFUSED_WRITES; times++) expect(await write()).toBe(503);
    await flushed(program, address);
    expect(faults(program)).toEqual([
      expect.objectContaining({
        level: 40,
        code: 'storage.unavailable',
        msg: 'request not served',
        reason: expect.stringMatching(/^DATA_DIR: \S+baobab\.db .*check its disk and the free space on it$/),
      }),
    ]);
    expect(program.output()).not.toContain('"stack"');
  });

  it('makes the server not ready until it takes writes again', async () => {
    const { program, address, call, token } = await onSmallDisk();
    await call('POST', '/admin/collection/notes', { token });
    const body = { text: 'x'.repeat(900_000) };
    const write = async () => (await call('POST', '/document/notes', { token, body })).status;
    const ready = async () => (await fetch(`${address}/health/ready`)).status;
    const check = async () => {
      const { data } = await call('GET', '/admin/checks', { token });
      return data.find(({ check: name }: { check: string }) => name === 'database');
    };
    expect(await ready()).toBe(200);
    await until(async () => (await write()) === 503);
    expect(await ready()).toBe(503);
    expect(await check()).toMatchObject({ state: 'fault', text: expect.stringMatching(/cannot be used: .*disk/) });
    const [server] = program.children();
    execFileSync('prlimit', ['--fsize=unlimited:', '--pid', String(server)]);
    expect(await ready()).toBe(200);
    expect((await check()).state).toBe('ok');
    expect(await write()).toBe(200);
  });

  it('is reported once for all refused files, and without a stack', async () => {
    const { program, address, token } = await onSmallDisk();
    for (let times = 0; times < REFUSED_WRITES; times++) {
      const body = new FormData();
      body.append('file', new Blob([Buffer.alloc(2 * FILE_LIMIT_KIB * 1024)]), 'large');
      const headers = { 'X-BB-SESSION': token };
      expect((await fetch(`${address}/file`, { method: 'POST', headers, body })).status).toBe(503);
    }
    await flushed(program, address);
    expect(faults(program)).toEqual([
      expect.objectContaining({ code: 'blobs.unavailable', reason: expect.stringMatching(/^DATA_DIR: \S+blobs /) }),
    ]);
    expect(program.output()).not.toContain('"stack"');
  });
});

it('is not ready while the disk of Postgres takes no writes', async () => {
  const { url, drop } = await createDatabase();
  cleanups.push(drop);
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  cleanups.push(() => sql.end());
  const program = startProgram({ ...SETTINGS, DATABASE_URL: url, BLOB_URL: 'memory:' });
  cleanups.push(() => program.dispose());
  const address = await program.ready();
  const ready = async () => (await fetch(`${address}/health/ready`)).status;
  const call = createClient(address, SETTINGS.APP_CODE);
  const signUp = async (username: string) =>
    (await call('POST', '/user', { body: { username, password: 'secret' } })).status;
  expect([await ready(), await signUp('ann')]).toEqual([200, 201]);
  await sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin
      raise exception 'could not extend file: No space left on device' using errcode = '53100';
    end $$;
    create trigger refuse before insert on users for each row execute function refuse();
    create trigger refuse before insert on jobs for each row execute function refuse();
  `);
  expect([await ready(), await signUp('bob')]).toEqual([200, 503]);
  expect([await ready(), await ready()]).toEqual([503, 503]);
  await sql.unsafe('drop function refuse() cascade');
  expect([await ready(), await signUp('bob')]).toEqual([200, 201]);
});

it('reports a Postgres server that was lost once for each state, and without a stack', async () => {
  const { url: own, drop } = await createDatabase();
  cleanups.push(drop);
  const url = new URL(own);
  const proxy = await startProxy({ host: url.hostname, port: Number(url.port) });
  cleanups.push(() => proxy.cut());
  url.port = String(proxy.port);
  const program = startProgram({ ...SETTINGS, DATABASE_URL: url.href, BLOB_URL: 'memory:' });
  cleanups.push(() => program.dispose());
  const address = await program.ready();
  await proxy.cut();
  const states = async () => (await fetch(`${address}/health/ready`)).status;
  await until(async () => (await states()) === 503);
  for (let times = 0; times < REFUSED_WRITES; times++) expect(await states()).toBe(503);
  await flushed(program, address);
  const reasons = faults(program).map(({ reason }) => reason);
  expect(reasons.length).toBeGreaterThan(0);
  expect(new Set(reasons).size).toBe(reasons.length);
  expect(reasons.at(-1)).toMatch(/^DATABASE_URL: no Postgres server answers at 127\.0\.0\.1:\d+; /);
  expect(program.output()).not.toContain('"stack"');
});
