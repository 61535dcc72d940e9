import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../support/client.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { openLoad } from '../support/load.ts';
import { BREAKING, fillBooks, KNOWN, LATER, migrateLater, numberOf, query, stateOf } from '../support/migrations.ts';
import { type Program, startCommand, startProgram } from '../support/program.ts';

const RATE = 100;
const BOOKS = 5_500;
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
  it('makes no request fail, and the older one can start again until it is declared incompatible', async () => {
    const environment = await prepare();
    const { DATABASE_URL: url } = environment;
    const older = await start(environment);
    const token = await settle(older.client);
    await fillBooks(url, BOOKS);
    const { call, created } = await createMix(older.client, token);

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

    expect(await stateOf(url)).toEqual({ version: KNOWN + LATER.length, compatibleFrom: 1 });
    // Every older document has been migrated; the running program does not know the column, and writes the default.
    expect(await numberOf(url, `select count(*) from documents where rating = 15`)).toBe(BOOKS);
    expect(await query(url, 'select stars from reviews')).toEqual([{ stars: 5 }]);
    expect(await numberOf(url, 'select count(*) from users where added_later = 7')).toBe(3);

    older.program.kill('SIGTERM');
    expect(await older.program.exit).toEqual({ code: 0, signal: null });
    const again = await start(environment);
    for (const [id, n] of created) {
      const { data } = await again.client('GET', `/document/books/${id}`, { token });
      expect([id, data?.n]).toEqual([id, n]);
    }
    expect((await again.client('GET', '/document/books/count', { token })).data.count).toBe(created.size + BOOKS + 1);
    expect((await again.client('POST', '/document/books', { token, body: {} })).status).toBe(200);

    const command = async (...args: string[]) => startCommand(args, environment).ended;
    const newer = KNOWN + LATER.length;
    expect(await command('migrate', 'status')).toMatchObject({
      code: 0,
      output: `The schema is newer (version ${newer}) than this program (${KNOWN}), which can use it: it is compatible with programs from 1 on\n`,
    });
    expect((await command('migrate', 'up')).code).toBe(0);
    const backup = await command('backup', '--to', join(environment.DATA_DIR ?? '', 'x.tar'));
    expect([backup.code, backup.errors]).toEqual([
      1,
      `baobab: The database has schema version ${newer}, this program needs ${KNOWN}: take the newer program\n`,
    ]);

    await migrateLater(url, { more: [...LATER, BREAKING] });
    // The running programs are taken out of service.
    expect((await again.client('GET', '/health/ready')).status).toBe(503);
    const status = JSON.parse((await command('--json', 'migrate', 'status')).output);
    expect(status).toEqual({
      state: 'incompatible',
      current: newer + 1,
      needed: KNOWN,
      compatibleFrom: newer + 1,
      pending: [],
      compatibleAfter: newer + 1,
    });
    const refused = startProgram(environment);
    cleanups.push(() => refused.dispose());
    expect((await refused.exit).code).toBe(1);
    const message = `its schema has version ${newer + 1}, and needs a program that knows version ${newer + 1}; this one knows up to ${KNOWN}: start a newer program`;
    expect(refused.errors()).toContain(message);
    expect((await command('migrate', 'up')).errors).toContain(message);
  });
});
