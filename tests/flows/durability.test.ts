import { DatabaseSync } from 'node:sqlite';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { type Client, createClient } from '../support/client.ts';
import type { Program } from '../support/program.ts';
import { createSetUp, type Environment, SETTINGS } from '../support/set-up.ts';
import { connected } from '../support/sockets.ts';

const { folder, database, start } = createSetUp();

async function onSqlite(): Promise<Environment> {
  return { DATA_DIR: folder() };
}

async function onPostgres(): Promise<Environment> {
  return { DATA_DIR: folder(), DATABASE_URL: await database() };
}

async function clientOf(program: Program): Promise<Client> {
  return createClient(await program.ready(), SETTINGS.APP_CODE);
}

async function login(client: Client): Promise<string> {
  const { data } = await client('POST', '/login', { body: { username: 'admin', password: SETTINGS.ADMIN_PASSWORD } });
  return data['X-BB-SESSION'];
}

/** A program with a collection `books`, and a session of its administrator. */
async function serving(environment: Environment) {
  const program = start(environment);
  const client = await clientOf(program);
  const token = await login(client);
  await client('POST', '/admin/collection/books', { token });
  return { program, client, token };
}

async function stop(program: Program): Promise<void> {
  program.kill('SIGTERM');
  expect(await program.exit).toEqual({ code: 0, signal: null });
}

async function everything(client: Client, token: string): Promise<Map<string, number>> {
  const documents = new Map<string, number>();
  for (let next = ''; ; ) {
    const { body, data } = await client('GET', `/document/books?recordsPerPage=1000${next}`, { token });
    for (const { id, n } of data) documents.set(id, n);
    if (!body.more) return documents;
    next = `&cursor=${body.next}`;
  }
}

/** Waits until the program accepts no more connections. */
async function untilClosed(client: Client): Promise<void> {
  const open = () =>
    client('GET', '/health/live').then(
      () => true,
      () => false,
    );
  while (await open()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe.each([
  ['sqlite', onSqlite],
  ['postgres', onPostgres],
])('the program on %s', (_name, prepare) => {
  it('keeps every document that it acknowledged when it is killed during concurrent creates', async () => {
    const environment = await prepare();
    const { program, client, token } = await serving(environment);
    const acknowledged = new Map<string, number>();
    let sent = 0;
    /** Creates one after the other, until the program is gone. */
    async function create(): Promise<void> {
      for (;;) {
        const n = sent++;
        const { status, data } = await client('POST', '/document/books', { token, body: { n } });
        if (status !== 200) throw new Error(`a create was answered with ${status}`);
        acknowledged.set(data.id, n);
        if (acknowledged.size === 700) program.kill('SIGKILL');
      }
    }
    await Promise.allSettled(Array.from({ length: 200 }, create));
    expect(await program.exit).toEqual({ code: null, signal: 'SIGKILL' });
    expect(acknowledged.size).toBeGreaterThanOrEqual(700);
    expect(sent).toBeGreaterThan(acknowledged.size);

    const again = await clientOf(start(environment));
    const kept = await everything(again, token);
    expect([...acknowledged].filter(([id, n]) => kept.get(id) !== n)).toEqual([]);
    expect(new Set(kept.values()).size).toBe(kept.size);
    // The counters went along with each document.
    expect((await again('GET', '/document/books/count', { token })).data).toEqual({ count: kept.size });
  });

  it('accepts the sessions of the killed program, and not those that had ended', async () => {
    const environment = await prepare();
    const { program, client, token } = await serving(environment);
    const ended = await login(client);
    expect((await client('POST', '/logout', { token: ended })).status).toBe(200);
    await stop(program);
    const again = await clientOf(start(environment));
    expect((await again('GET', '/me', { token })).data.user.name).toBe('admin');
    expect((await again('GET', '/me', { token: ended })).status).toBe(401);
  });

  it('finishes requests in progress when it is told to stop, accepts no new ones, and exits with 0', async () => {
    const environment = await prepare();
    const { program, client, token } = await serving(environment);
    const socket = await connected(Number(new URL(await program.ready()).port));
    let answer = '';
    const continued = new Promise<void>((resolve) => {
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        answer += chunk;
        if (answer.includes('100 Continue')) resolve();
      });
    });
    const body = '{"n":1}';
    socket.write(
      `POST /document/books HTTP/1.1\r\nhost: x\r\nx-service-appcode: code\r\nx-bb-session: ${token}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
    );
    // The program has the request now, and waits for its body.
    await continued;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    program.kill('SIGTERM');
    await untilClosed(client);
    socket.write(body);
    await closed;
    expect(answer).toContain('HTTP/1.1 200 OK');
    expect(await program.exit).toEqual({ code: 0, signal: null });
    const again = await clientOf(start(environment));
    expect([...(await everything(again, token)).values()]).toEqual([1]);
  });

  it('creates its administrator once, and prints a generated password once', async () => {
    const environment = { ...(await prepare()), ADMIN_PASSWORD: '' };
    const first = start(environment);
    await first.ready();
    const shown = await first.line('The administrator "admin" was created with the password ');
    await stop(first);
    const second = start(environment);
    const client = await clientOf(second);
    const body = { username: 'admin', password: shown.split(' ').at(-1) };
    expect((await client('POST', '/login', { body })).status).toBe(200);
    await stop(second);
    await expect(second.line('was created with the password')).rejects.toThrow('the program ended');
  });

  it('rejects a database of a newer version in one clear line', async () => {
    const environment = await prepare();
    const { program } = await serving(environment);
    await stop(program);
    await makeNewer(environment);
    const refused = start(environment);
    expect(await refused.exit).toEqual({ code: 1, signal: null });
    expect(refused.errors()).toMatch(/^baobab: The database schema is newer than.*version 999.*\n$/);
  });
});

async function makeNewer({ DATABASE_URL, DATA_DIR }: Environment): Promise<void> {
  const statement = 'update schema_version set version = 999';
  if (DATABASE_URL === undefined) {
    const database = new DatabaseSync(`${DATA_DIR}/baobab.db`);
    database.exec(statement);
    database.close();
    return;
  }
  const sql = postgres(DATABASE_URL, { max: 1 });
  await sql.unsafe(statement);
  await sql.end();
}
