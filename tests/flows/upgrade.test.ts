import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createDatabase, createFolder } from '../support/databases.ts';
import { startCommand, startProgram } from '../support/program.ts';

/** See the README.md there. */
const PREVIOUS = join(import.meta.dirname, '../fixtures/previous');
const ROWS = 18;
const KEYS = { SECRET_KEY: 'a-secret-key-of-the-fixture-for-upgrades', RATE_LIMIT: 'off' };
const BYTES = 'kept bytes\n';

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Environment = Readonly<Record<string, string>>;

function newFolder(): string {
  const folder = createFolder();
  cleanups.push(folder.remove);
  return folder.path;
}

async function run(args: readonly string[], env: Environment): Promise<string> {
  const { code, output, errors } = await startCommand(args, env).ended;
  expect([code, errors]).toEqual([0, '']);
  return output.trim();
}

/** Starts this version, and checks that everything of the previous one is there and can be used. */
async function expectServes(env: Environment): Promise<void> {
  const program = startProgram(env);
  cleanups.push(() => program.dispose());
  const base = await program.ready();

  async function call(method: string, path: string, who: string | null, body?: unknown) {
    const passwords: Readonly<Record<string, string>> = { admin: 'change-me' };
    const credentials = who === null ? '' : `${who}:${passwords[who] ?? `secret of ${who}`}`;
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        'x-service-appcode': '1234567890',
        ...(who === null ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, text, data: isJson ? JSON.parse(text).data : undefined };
  }

  const me = await call('GET', '/me', 'Ann');
  expect(me.data).toMatchObject({ user: { name: 'Ann' }, visibleByTheUser: { email: 'ann@example.org' } });
  const own = await call('GET', '/document/books', 'Ann');
  expect(own.data.map(({ title }: { title: string }) => title)).toEqual(['Zeno', 'Private']);
  const [{ id }] = own.data;
  expect(own.data[0]).toMatchObject({ tags: ['a', 'b'], '@version': 1, _author: 'Ann' });

  await call('DELETE', '/follow/Ann', 'Zoë');
  const granted = await call('GET', '/document/books', 'Zoë');
  expect(granted.data.map(({ title }: { title: string }) => title)).toEqual(['Zeno']);
  expect((await call('POST', '/follow/Ann', 'Zoë')).status).toBe(201);
  expect((await call('GET', '/document/books', 'Zoë')).data).toHaveLength(2);

  const [file] = (await call('GET', '/file/details', 'Ann')).data;
  expect(file).toMatchObject({ fileName: 'hello.txt', attachedData: { album: 'Holidays' } });
  expect((await call('GET', `/file/${file.id}`, 'Ann')).text).toBe(BYTES);
  expect((await call('GET', '/asset/notice', null)).text).toBe(BYTES);
  const settings = await call('GET', '/admin/configuration/Application', 'admin');
  expect(settings.data).toContainEqual(expect.objectContaining({ key: 'application.name', value: 'Old library' }));
  const indexes = await call('GET', '/admin/collection/books/index', 'admin');
  expect(indexes.data).toEqual([{ path: 'title', state: 'ready' }]);

  const changed = await call('PUT', `/document/books/${id}/.tags[]`, 'Ann', { data: 'c' });
  expect(changed.data).toMatchObject({ tags: ['a', 'b', 'c'], '@version': 2 });
  expect((await call('POST', '/user', null, { username: 'New', password: 'x' })).status).toBe(201);
  expect((await call('GET', '/admin/statistics', 'admin')).data).toMatchObject({ users: 4, documents: { count: 2 } });
}

describe('data of the previous version', () => {
  it('are served by this version in place', async () => {
    const folder = newFolder();
    const path = join(folder, 'baobab.db');
    writeFileSync(path, gunzipSync(readFileSync(join(PREVIOUS, 'baobab.db.gz'))));
    cpSync(join(PREVIOUS, 'blobs'), join(folder, 'blobs'), { recursive: true });
    const env = { ...KEYS, DATABASE_URL: `sqlite:${path}`, BLOB_URL: `file:${join(folder, 'blobs')}` };
    expect(await run(['migrate', 'up'], env)).toMatch(/^The schema is up to date \(version \d+\)$/);
    await expectServes(env);
  });

  it.each([
    ['SQLite', async (folder: string) => `sqlite:${join(folder, 'restored.db')}`],
    [
      'Postgres',
      async () => {
        const { url, drop } = await createDatabase({ empty: true });
        cleanups.push(drop);
        return url;
      },
    ],
  ])('are restored from their archive into an empty %s, and served', async (_name, open) => {
    const folder = newFolder();
    const env = { ...KEYS, DATABASE_URL: await open(folder), BLOB_URL: `file:${join(folder, 'blobs')}` };
    const archive = join(PREVIOUS, 'archive.tar');
    expect(await run(['restore', '--from', archive], env)).toBe(`${ROWS} rows restored from ${archive}`);
    await expectServes(env);
  });
});
