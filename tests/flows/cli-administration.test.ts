import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { type Program, startCommand, startProgram } from '../support/program.ts';
import { codeAt } from '../support/second-factor.ts';

const APP_CODE = 'cli';
const ADMIN = { authorization: `Basic ${Buffer.from('admin:admin').toString('base64')}` };

describe.each(['sqlite', 'postgres'])('the commands of an administrator, on %s, while the service runs', (kind) => {
  let folder: ReturnType<typeof createFolder>;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let program: Program;
  let client: Client;
  let env: Record<string, string>;
  let token = '';
  const closing: Array<() => Promise<void>> = [];

  const run = (args: readonly string[], input = '', variables: Record<string, string> = {}) =>
    runCommand(args, { ...env, ...variables }, input);

  async function succeed(args: readonly string[], input = ''): Promise<string> {
    const { code, output, errors } = await run(args, input);
    expect([code, errors]).toEqual([0, '']);
    return output;
  }

  const json = async (args: readonly string[], input = '') => JSON.parse(await succeed([...args, '--json'], input));

  beforeAll(async () => {
    folder = createFolder();
    database = await createDatabase();
    env = {
      DATABASE_URL: kind === 'sqlite' ? `sqlite:${join(folder.path, 'a.db')}` : database.url,
      DATA_DIR: folder.path,
      SECRET_KEY: 'a key of the tests, forty characters long',
      APP_CODE,
      ADMIN_PASSWORD: 'admin',
    };
    program = startProgram(env);
    client = createClient(await program.ready(), APP_CODE);
    const ann = { username: 'ann', password: 'a', visibleByTheUser: { email: 'ann@example.org' } };
    token = (await client('POST', '/user', { body: ann })).data['X-BB-SESSION'];
  });
  afterAll(async () => {
    await program.dispose();
    for (const close of closing) await close();
    await database.drop();
    folder.remove();
  });

  it('manage collections and documents, by the same rules', async () => {
    expect(await succeed(['collection', 'create', 'Books'])).toBe('Collection Books created\n');
    const refused = await run(['collection', 'create', 'books']);
    expect(refused).toMatchObject({
      code: 1,
      output: '',
      errors: 'baobab: A collection with this name already exists\n',
    });
    const put = await client('POST', '/document/Books', { token, body: { title: 'Momo', pages: 300 } });
    const { id } = put.data;

    const made = await json(['document', 'put', 'books'], '{"title":"Dune","price":1.10}');
    expect(made).toMatchObject({ '@class': 'Books', '@version': 1, _author: 'admin', title: 'Dune' });
    const replaced = await succeed(['document', 'put', 'books', id, '--body', '{"title":"Momo","pages":301}']);
    expect(replaced).toBe(`Document ${id} stored, version 2\n`);
    expect((await client('GET', `/document/Books/${id}`, { token })).data).toMatchObject({
      pages: 301,
      _author: 'ann',
    });
    expect(await json(['document', 'get', 'books', id])).toEqual(
      (await client('GET', `/document/Books/${id}`, { token })).data,
    );
    expect(await succeed(['document', 'get', 'books', id])).toMatch(/^id {14}.*\n@class {10}Books\n@version {8}2\n/);
    const extended = { EXTENSIONS: 'hooks.ts' };
    const stale = await run(['document', 'put', 'books', id, '--body', '{"@version":1}'], '', extended);
    expect(stale.errors).toMatch(/^baobab: EXTENSIONS has no effect on this command: no hook runs before the write\n/);
    expect(stale).toMatchObject({ code: 1, errors: expect.stringContaining('@version is not the current version') });
    for (const [body, message] of [
      ['', 'JSON is expected'],
      ['{"a":', 'not valid JSON'],
    ] as const) {
      const wrong = await run(['document', 'put', 'books'], body);
      expect([wrong.code, wrong.output, wrong.errors]).toEqual([1, '', expect.stringContaining(message)]);
    }
    const missing = await run(['document', 'get', 'books', '019aa000-0000-7000-8000-000000000001']);
    expect(missing).toMatchObject({ code: 1, errors: 'baobab: Document not found\n' });

    expect(await succeed(['collection', 'list'])).toMatch(/^name {3}records {2}size\nBooks {2}2 {8}\d+\n$/);
    const rules = { create: ['registereduser'], read: [], update: [], delete: [] };
    const shown = { name: 'Books', records: 2, indexes: [], rules, schema: null };
    expect(await json(['collection', 'show', 'BOOKS'])).toMatchObject(shown);
  });

  it('query documents with the arguments of the interface', async () => {
    await succeed(['collection', 'create', 'numbers']);
    for (const n of [1, 2, 3]) await client('POST', '/document/numbers', { token, body: { n, odd: n % 2 === 1 } });
    const page = await json(['document', 'query', 'numbers', '--orderBy', 'n desc', '--recordsPerPage', '2']);
    expect(page.data.map(({ n }: { n: number }) => n)).toEqual([3, 2]);
    expect(page.more).toBe(true);
    const rest = await json(['document', 'query', 'numbers', '--orderBy', 'n desc', '--cursor', page.next]);
    expect(rest).toMatchObject({ data: [{ n: 1 }], more: false, next: null });
    const text = await succeed([
      'document',
      'query',
      'numbers',
      '--where',
      'odd = ? and n > ?',
      '--params',
      'true',
      '--params',
      '1',
    ]);
    expect(text).toMatch(/^id +@version +_author +n +odd\n\S+ +1 +ann +3 +true\n$/);
    expect(await json(['document', 'query', 'numbers', '--count', '--where', 'n > 1'])).toEqual({ count: 2 });
    expect(
      await succeed(['document', 'query', 'numbers', '--fields', 'n', '--orderBy', 'n', '--recordsPerPage', '1']),
    ).toMatch(/^\{"n":1\}\nMore: --cursor \S+\n$/);
    const wrong = await run(['document', 'query', 'numbers', '--where', 'n >']);
    expect(wrong).toMatchObject({ code: 1, errors: expect.stringContaining('Invalid query') });
    const none = await run(['document', 'query', 'nothing']);
    expect(none).toMatchObject({ code: 1, errors: 'baobab: Collection not found\n' });
    const operations = Array.from({ length: 100 }, () => ({
      method: 'POST',
      path: '/document/numbers',
      body: { n: 0 },
    }));
    for (let i = 0; i < 6; i++)
      expect((await client('POST', '/batch', { token, body: { operations } })).status).toBe(200);
    // A process of its own, which has to wait between the parts of a large removal.
    const removed = await startCommand(['collection', 'delete', 'numbers'], env).ended;
    expect([removed.code, removed.output]).toEqual([0, 'Collection numbers removed, with its documents\n']);
    expect((await client('GET', '/document/numbers', { token })).status).toBe(404);
    expect((await run(['collection', 'delete', 'numbers'])).code).toBe(1);
  });

  it('show groups and their members', async () => {
    const ids: string[] = [];
    for (const name of ['Lake house', 'Choir']) {
      ids.push((await client('POST', '/group', { token, body: { name } })).data.id);
    }
    expect(await succeed(['group', 'list'])).toMatch(/^id +name +members\n\S+ {2}Lake house {2}1\n\S+ {2}Choir +1\n$/);
    const first = await json(['group', 'list', '--recordsPerPage', '1']);
    expect(first).toMatchObject({ data: [{ id: ids[0], name: 'Lake house', members: 1 }], more: true });
    const second = await json(['group', 'list', '--cursor', first.next]);
    expect(second).toEqual({ data: [{ id: ids[1], name: 'Choir', members: 1 }], more: false, next: null });
    expect(await json(['group', 'show', ids[1] ?? ''])).toEqual({
      id: ids[1],
      name: 'Choir',
      members: [{ name: 'ann', role: 'owner' }],
    });
    expect(await succeed(['group', 'show', ids[0] ?? ''])).toMatch(
      /name +Lake house\n\nusername {2}role\nann +owner\n$/,
    );
    expect(await run(['group', 'show', 'x'])).toMatchObject({ code: 1, errors: 'baobab: Group not found\n' });
  });

  it('show users and their sessions', async () => {
    await succeed(['user', 'create', 'eve', '--role', 'backoffice'], 'secret\n');
    expect(await succeed(['user', 'list', '--orderBy', 'user.name'])).toMatch(
      /^username +role +status +signUpDate\nann +registereduser +ACTIVE +\S+\neve +BackOffice +ACTIVE +\S+\n$/,
    );
    expect((await json(['user', 'list'])).data).toHaveLength(2);
    expect(await json(['user', 'list', '--count'])).toEqual({ count: 2 });
    const ann = await json(['user', 'show', 'Ann']);
    expect(ann).toMatchObject({ user: { name: 'ann' }, visibleByTheUser: { email: 'ann@example.org' } });
    expect(await succeed(['user', 'show', 'ann'])).toContain('{"email":"ann@example.org"}');
    const { data } = await json(['user', 'sessions', 'ann']);
    expect(data).toEqual([
      {
        id: expect.any(String),
        created: expect.any(String),
        lastUsed: expect.any(String),
        os: null,
        network: '127.0.0.0/24',
        client: 'node',
        factor: null,
      },
    ]);
    expect(await succeed(['user', 'sessions', 'eve'])).toBe('eve has no sessions\n');
    expect(await run(['user', 'show', 'nobody'])).toMatchObject({ code: 1, errors: 'baobab: User not found\n' });
  });

  it('make, list and end API keys', async () => {
    const made = await json(['key', 'create', 'Shop', 'ADMIN', '--expires', '2999-01-31T00:00:00Z']);
    expect(made).toMatchObject({ name: 'Shop', role: 'administrator', owner: 'admin' });
    const headers = { authorization: `Bearer ${made.key}` };
    expect((await client('GET', '/admin/user', { headers })).status).toBe(200);
    const { key: _key, ...shown } = made;
    // The use is recorded after the answer.
    await expect
      .poll(async () => (await json(['key', 'list'])).data)
      .toMatchObject([{ ...shown, lastUse: expect.any(String) }]);
    const other = await json(['key', 'create', 'Shop', 'admin']);
    for (const { id } of [made, other]) {
      expect(await succeed(['key', 'delete', id])).toBe(`API key ${id} deleted\n`);
    }
    const ended = { authorization: `Bearer ${other.key}` };
    expect((await client('GET', '/admin/user', { headers: ended })).status).toBe(401);
    expect(await succeed(['key', 'list'])).toBe('There are no API keys\n');
    const wrong = await run(['key', 'create', 'Shop', 'admin', '--expires', 'tomorrow']);
    expect(wrong.code).toBe(1);
    expect(wrong.errors).toContain('2030-01-31T09:12:03.512+0000');
  });

  it('turn a second factor off', async () => {
    const body = { username: 'fay', password: 'a' };
    const { data: fay } = await client('POST', '/user', { body });
    const own = { token: fay['X-BB-SESSION'] };
    const { data: totp } = await client('POST', '/me/totp', own);
    const confirmation = { code: codeAt(totp.secret, Date.now()) };
    expect((await client('POST', '/me/totp/confirm', { ...own, body: confirmation })).status).toBe(200);
    expect(await succeed(['user', 'reset-factors', 'FAY'])).toBe(
      'Two-factor authentication of FAY turned off and passkeys removed; all sessions of that user have ended\n',
    );
    expect((await client('GET', '/me', own)).status).toBe(401);
    expect((await client('POST', '/login', { body })).status).toBe(200);
    expect(await json(['user', 'reset-factors', 'fay'])).toEqual({ username: 'fay', wereOn: false });
    const unknown = await run(['user', 'reset-factors', 'nobody']);
    expect(unknown).toMatchObject({ code: 1, errors: 'baobab: User not found\n' });
    expect((await client('DELETE', '/admin/user/fay', { headers: ADMIN })).status).toBe(200);
  });

  it.each(['', '\n'])('change nothing when the input has no password: %j', async (input) => {
    for (const args of [
      ['user', 'password', 'ann'],
      ['user', 'create', 'tess'],
      ['settings', 'set', 'PasswordRecovery', 'network.smtp.password'],
    ]) {
      const { code, errors } = await run(args, input);
      expect([args, code, errors]).toEqual([args, 2, expect.stringContaining('Nothing was changed')]);
    }
    const login = (username: string, password: string) => client('POST', '/login', { body: { username, password } });
    expect((await login('ann', 'a')).status).toBe(200);
    expect((await login('tess', '')).status).not.toBe(200);
  });

  it('read and change settings, and never show secrets', async () => {
    const [section, key] = ['PasswordRecovery', 'network.smtp.host'];
    expect(await succeed(['settings', 'set', section, key, 'mail.example.org'])).toBe(
      `${key} is now mail.example.org\n`,
    );
    expect(await succeed(['settings', 'get', section, key])).toBe('mail.example.org\n');
    await succeed(['settings', 'set', section, 'network.smtp.password'], 'opensesame\n');
    const all = await succeed(['settings', 'get']);
    expect(all).toMatch(/^section +key +value +type\n/);
    expect(all).toMatch(/network\.smtp\.password +\*\*\* +Secret/);
    expect(all).not.toContain('opensesame');
    expect((await json(['settings', 'get', section])).data).toContainEqual(
      expect.objectContaining({ key, value: 'mail.example.org' }),
    );
    for (const [args, message] of [
      [['set', section, 'network.smtp.port', 'many'], 'network.smtp.port must be'],
      [['get', 'Nonsense'], 'Settings section not found'],
      [['get', section, 'nonsense'], 'Setting not found'],
    ] as const) {
      const wrong = await run(['settings', ...args]);
      expect([wrong.code, wrong.errors]).toEqual([1, expect.stringContaining(message)]);
    }
  });

  it('accept a private mail server if the configuration allows it', async () => {
    const args = ['settings', 'set', 'PasswordRecovery', 'network.smtp.host', '127.0.0.1'];
    expect(await run(args)).toMatchObject({ code: 1, errors: expect.stringContaining('OUTBOUND_PRIVATE') });
    expect(await run(args, '', { OUTBOUND_PRIVATE: 'on' })).toMatchObject({ code: 0, errors: '' });
  });

  it('show the indexes of users, files and assets', async () => {
    expect(await succeed(['index', 'list'])).toBe('There are no indexes\n');
    for (const path of ['users/user.status', 'assets/meta.kind']) {
      const made = await client('PUT', `/admin/index/${path}`, { headers: ADMIN });
      expect([201, 202]).toContain(made.status);
    }
    const { data } = await json(['index', 'list']);
    expect(data).toMatchObject([
      { of: 'users', path: 'user.status' },
      { of: 'assets', path: 'meta.kind' },
    ]);
    expect(await succeed(['index', 'list'])).toMatch(
      /^of +path +state\nusers +user\.status +\w+\nassets +meta\.kind +\w+\n$/,
    );
  });

  it('do the same in processes of their own, which end by themselves', async () => {
    await succeed(['collection', 'create', 'own']);
    const commands = [
      ['collection', 'show', 'own'],
      ['document', 'query', 'own'],
      ['user', 'show', 'ann'],
      ['settings', 'get', 'Application', 'application.name'],
      ['document', 'get', 'own', 'nothing'],
      ['user', 'show'],
    ];
    const processes = commands.map((args) => startCommand(args, env).ended);
    for (const [index, args] of commands.entries()) {
      expect(await processes[index]).toEqual({ ...(await run(args)), signal: null });
    }
    const { code, output } = await startCommand(['document', 'put', 'own', '--json'], env, '{"ключ":"😀"}').ended;
    expect([code, JSON.parse(output)]).toEqual([0, expect.objectContaining({ ключ: '😀' })]);
  });

  it('say what is missing', async () => {
    const other = await createDatabase({ empty: true });
    closing.push(() => other.drop());
    const empty = kind === 'sqlite' ? `sqlite:${join(folder.path, 'none.db')}` : other.url;
    const onEmpty = await run(['user', 'list'], '', { DATABASE_URL: empty });
    expect(onEmpty).toMatchObject({ code: 1, errors: expect.stringContaining('The database is empty') });
    await run(['migrate', 'up'], '', { DATABASE_URL: empty });
    const onNew = await run(['user', 'list'], '', { DATABASE_URL: empty });
    expect(onNew).toMatchObject({ code: 1, errors: 'baobab: There is no administrator yet: start the server once\n' });
    const onMemory = await run(['collection', 'list'], '', { DATABASE_URL: 'memory:' });
    expect(onMemory).toMatchObject({
      code: 1,
      errors: expect.stringContaining('A memory database belongs to one process'),
    });
    for (const args of [
      ['user', 'show'],
      ['document', 'put'],
      ['collection', 'list', '--nonsense'],
      ['settings', 'set', 'x'],
    ]) {
      expect((await run(args)).code).toBe(2);
    }
  });
});
