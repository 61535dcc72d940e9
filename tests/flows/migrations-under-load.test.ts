import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../support/client.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { openLoad } from '../support/load.ts';
import { KNOWN, LATER, migrateLater, numberOf, query, versionOf } from '../support/migrations.ts';
import { type Program, startCommand, startProgram } from '../support/program.ts';

const RATE = 100;
const SETTINGS = { APP_CODE: 'code', ADMIN_PASSWORD: 'admin password', SECRET_KEY: 'k'.repeat(32), RATE_LIMIT: 'off' };

type Environment = Readonly<Record<string, string>> & { readonly DATABASE_URL: string };

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function onSqlite(workers: string): Promise<Environment> {
  const { path, remove } = createFolder();
  cleanups.push(remove);
  return { ...SETTINGS, DATA_DIR: path, DATABASE_URL: `sqlite:${join(path, 'x.db')}`, WORKERS: workers };
}

async function onPostgres(): Promise<Environment> {
  const { url, drop } = await createDatabase({ empty: true });
  cleanups.push(drop);
  return { ...(await onSqlite('1')), DATABASE_URL: url };
}

async function start(environment: Environment): Promise<{ program: Program; client: Client }> {
  const program = startProgram(environment);
  cleanups.push(() => program.dispose());
  const client = createClient(await program.ready(), SETTINGS.APP_CODE);
  if (environment.WORKERS !== '1') await program.line('"msg":"all workers serve"');
  return { program, client };
}

async function settle(client: Client): Promise<string> {
  const login = { username: 'admin', password: SETTINGS.ADMIN_PASSWORD };
  const admin = (await client('POST', '/login', { body: login })).data['X-BB-SESSION'];
  await client('POST', '/admin/collection/books', { token: admin });
  await client('PUT', '/admin/collection/books/index/n', { token: admin });
  await client('POST', '/user', { body: { username: 'bob', password: 'secret' } });
  const { data } = await client('POST', '/user', { body: { username: 'ann', password: 'secret' } });
  return data['X-BB-SESSION'];
}

/** Reads and writes of all kinds; `created` contains the ids of acknowledged documents. */
async function createMix(client: Client, token: string) {
  const created = new Map<string, number>();
  const { data: book } = await client('POST', '/document/books', { token, body: { n: -1 } });
  const path = `/document/books/${book.id}`;
  const where = `where=${encodeURIComponent('n > 3 and not (kind is null)')}&orderBy=${encodeURIComponent('n desc')}`;
  const calls: ReadonlyArray<(n: number) => ReturnType<Client>> = [
    async (n) => {
      const answer = await client('POST', '/document/books', { token, body: { n, kind: 'made under load' } });
      if (answer.status < 300) created.set(answer.data.id, n);
      return answer;
    },
    () => client('GET', path, { token }),
    () => client('GET', '/document/books?recordsPerPage=20', { token }),
    () => client('GET', `/document/books?recordsPerPage=10&${where}`, { token }),
    (n) => client('PUT', path, { token, body: { n } }),
    () => client('GET', '/me', { token }),
    (n) => client('PUT', `${path}/.field`, { token, body: { data: n } }),
    () => client('GET', `/users?where=${encodeURIComponent("user.name like 'a%'")}`, { token }),
    (n) => client('PUT', '/me', { token, body: { visibleByFriend: { n } } }),
    (n) =>
      n % 100 === 9
        ? client('POST', '/login', { body: { username: 'bob', password: 'secret' } })
        : client('GET', '/document/books/count', { token }),
  ];
  const call = async (n: number) => {
    const { status, text } = await (calls[n % calls.length] as (n: number) => ReturnType<Client>)(n);
    if (status >= 300) throw new Error(`${status}: ${text}`);
    return status;
  };
  // So that every statement has been prepared with the old schema.
  for (let round = 0; round < 3; round++) await Promise.all(calls.map((_, n) => call(n)));
  return { call, created };
}

describe.each([
  ['Postgres', onPostgres],
  ['SQLite', () => onSqlite('1')],
  ['SQLite with two workers', () => onSqlite('2')],
])('a later program that migrates the database of a running one, on %s', (_name, prepare) => {
  it('makes no request fail, and replaces it', async () => {
    const environment = await prepare();
    const { DATABASE_URL: url } = environment;
    const { program, client } = await start(environment);
    const { call, created } = await createMix(client, await settle(client));

    const load = openLoad(RATE, call);
    const untilCreated = (more: number) => {
      const before = created.size;
      return expect.poll(() => created.size).toBeGreaterThan(before + more);
    };
    await untilCreated(2);
    await migrateLater(url);
    await untilCreated(5); // one call of ten creates
    await expect.poll(() => load.count).toBeGreaterThan(80);
    await load.stop();
    expect(load.failures).toEqual([]);

    const newer = KNOWN + LATER.length;
    expect(await versionOf(url)).toBe(newer);
    // The running program does not know the columns, and writes the defaults.
    expect(await numberOf(url, 'select count(*) from documents where rating = 0')).toBe(created.size + 1);
    expect(await query(url, 'select stars from reviews')).toEqual([{ stars: 5 }]);
    expect(await numberOf(url, 'select count(*) from users where added_later = 7')).toBe(3);

    expect((await client('GET', '/health/ready')).status).toBe(503);
    program.kill('SIGTERM');
    expect(await program.exit).toEqual({ code: 0, signal: null });
    const refused = startProgram(environment);
    cleanups.push(() => refused.dispose());
    expect((await refused.exit).code).toBe(1);
    const message = `its schema has version ${newer}, this program knows up to ${KNOWN}: start a newer program`;
    expect(refused.errors()).toContain(message);

    const command = async (...args: string[]) => startCommand(args, environment).ended;
    expect((await command('migrate', 'up')).errors).toContain(message);
    const status = JSON.parse((await command('--json', 'migrate', 'status')).output);
    expect(status).toEqual({ state: 'ahead', current: newer, needed: KNOWN, pending: [] });
    const backup = await command('backup', '--to', join(environment.DATA_DIR ?? '', 'x.tar'));
    expect([backup.code, backup.errors]).toEqual([
      1,
      `baobab: The database has schema version ${newer}, this program needs ${KNOWN}: use a newer program\n`,
    ]);
  });
});
