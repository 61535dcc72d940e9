import { spawn } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { KINDS, TRANSIENT } from '@baobab/adapters/archive';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { readDocument } from '../support/markdown.ts';
import { startCommand, startProgram, typeCommand } from '../support/program.ts';

const SECRET_KEY = 'a key of the tests, forty characters long';
const APP_CODE = 'cli';
const ADMIN_PASSWORD = 'admin';

const ONLY_ON_POSTGRES = 'document_count_changes';

describe('the command line', () => {
  /** A folder with the database and the files that `settle` made: tests work on copies of it. */
  let settled: ReturnType<typeof createFolder>;
  /** The session of that user, and what it can read. */
  let token: string;
  let before: Awaited<ReturnType<typeof look>>;
  let folder: ReturnType<typeof createFolder>;
  let database: Awaited<ReturnType<typeof createDatabase>>;

  const at = (name: string) => join(folder.path, name);
  const env = (database: string, blobs: string) => ({
    DATABASE_URL: database,
    BLOB_URL: blobs,
    DATA_DIR: folder.path,
    SECRET_KEY,
    APP_CODE,
    ADMIN_PASSWORD,
  });
  const here = () => env(`sqlite:${at('here.db')}`, `file:${at('here')}`);
  const there = () => env(database.url, `file:${at('there')}`);
  const back = () => env(`sqlite:${at('back.db')}`, `file:${at('back')}`);

  /** In this process, except for a backup, which lowers the priority of its process. */
  const run = (args: readonly string[], variables: Record<string, string>, input = '') =>
    args.includes('backup') ? startCommand(args, variables, input).ended : runCommand(args, variables, input);

  async function succeed(args: readonly string[], variables: Record<string, string>, input = ''): Promise<string> {
    const { code, output, errors } = await run(args, variables, input);
    expect([code, errors]).toEqual([0, '']);
    return output;
  }

  async function serving<T>(variables: Record<string, string>, work: (client: Client) => Promise<T>): Promise<T> {
    const program = startProgram(variables);
    try {
      return await work(createClient(await program.ready(), APP_CODE));
    } finally {
      program.kill('SIGTERM');
      await program.exit;
    }
  }

  /** A user with one of everything. Resolves to the session. */
  async function settle(client: Client): Promise<string> {
    const session: string = (
      await client('POST', '/user', { body: { username: 'ann', password: 'a', visibleByFriend: { a: 1 } } })
    ).data['X-BB-SESSION'];
    await client('POST', '/user', { body: { username: 'bob', password: 'b' } });
    const basic = Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64');
    const headers = { authorization: `Basic ${basic}` };
    await client('POST', '/admin/collection/books', { headers });
    await client('PUT', '/admin/configuration/PasswordRecovery/network.smtp.password', {
      headers,
      body: { value: 'hidden' },
    });
    await client('POST', '/follow/bob', { token: session });
    for (let i = 0; i < 30; i++) {
      await client('POST', '/document/books', { token: session, body: { i, 'ключ "\\': ['😀', null, 1e-7] } });
    }
    const { data } = await client('POST', '/document/books', {
      token: session,
      body: { shared: true, _allowRead: [{ name: 'bob' }, { name: 'anonymous', isrole: true }] },
    });
    expect(data.shared).toBe(true);
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(300_000).fill(7)]), 'seven.bin');
    const { status } = await fetch(`${client.address}/file`, {
      method: 'POST',
      headers: { 'x-bb-session': session },
      body: form,
    });
    expect(status).toBe(201);
    return session;
  }

  /** Documents that the user can read. */
  async function look(client: Client) {
    const { data: documents } = await client('GET', '/document/books', { token });
    const { data: files } = await client('GET', '/file/details', { token });
    const answer = await fetch(`${client.address}/file/${files[0].id}`, { headers: { 'x-bb-session': token } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const { data: me } = await client('GET', '/me', { token });
    const { data: following } = await client('GET', '/following', { token });
    return { documents, files, isWhole: bytes.length === 300_000 && bytes.every((byte) => byte === 7), me, following };
  }

  beforeAll(async () => {
    settled = createFolder();
    folder = settled;
    await serving(here(), async (client) => {
      token = await settle(client);
      before = await look(client);
    });
  });
  afterAll(() => settled.remove());

  beforeEach(async () => {
    folder = createFolder();
    cpSync(settled.path, folder.path, { recursive: true });
    database = await createDatabase({ empty: true });
  });
  afterEach(async () => {
    folder.remove();
    await database.drop();
  });

  it('moves everything to Postgres and back, and sessions remain valid', async () => {
    expect(before.documents).toHaveLength(31);
    expect(before.isWhole).toBe(true);

    const move = (from: Record<string, string>, to: Record<string, string>) => [
      ...['transfer', '--from', String(from.DATABASE_URL), '--to', String(to.DATABASE_URL)],
      ...['--blobs-from', String(from.BLOB_URL), '--blobs-to', String(to.BLOB_URL)],
    ];
    const output = await succeed(['--json', ...move(here(), there())], here());
    expect(JSON.parse(output)).toMatchObject({
      rows: { users: 3, documents: 31, document_grants: 2, follows: 1, files: 1, settings: 1 },
      blobs: 1,
      isResumed: false,
    });
    expect(await serving(there(), look)).toEqual(before);
    await succeed(move(there(), back()), there());
    expect(await serving(back(), look)).toEqual(before);

    const again = await run(move(here(), back()), here());
    expect(again).toMatchObject({ code: 1, output: '' });
    expect(again.errors).toContain('The target is not empty');
    expect((await run(move(here(), here()), here())).errors).toContain('name the same database');
  });

  it('resumes an interrupted transfer, and lets no service start before its end', async () => {
    const source = new DatabaseSync(at('here.db'));
    source.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 40000)
      insert into documents (id, collection, author, version, created, updated, content) select printf('019aa000-0000-7000-8000-%012d', i), c.id, u.id, 1, 1, 1, '{"filler":true}'
      from n, collections c, users u where u.name = 'ann'`);
    source.close();
    const args = ['transfer', '--from', here().DATABASE_URL, '--to', there().DATABASE_URL];
    const interrupted = startCommand(args, here());
    await expect.poll(() => countOf(database.url), { interval: 5 }).toBeGreaterThan(0);
    interrupted.kill('SIGKILL');
    await interrupted.ended;
    const part = await countOf(database.url);
    expect(part).toBeLessThan(40_031);

    const refused = startProgram(there());
    expect(await refused.exit).toMatchObject({ code: 1 });
    expect(refused.errors()).toContain('A transfer into this database is incomplete');

    const other = await run(['transfer', '--from', `sqlite:${at('other.db')}`, '--to', there().DATABASE_URL], here());
    expect(other.code).toBe(1);

    const output = await succeed(['--json', ...args], here());
    expect(JSON.parse(output)).toMatchObject({ rows: { documents: 40_031 }, isResumed: true });
    await serving({ ...there(), BLOB_URL: here().BLOB_URL }, async (client) => {
      expect((await client('GET', '/document/books/count', { token })).data).toEqual({ count: 40_031 });
    });
  });

  async function countOf(url: string): Promise<number> {
    const { default: postgres } = await import('postgres');
    const sql = postgres(url, { max: 1, onnotice: () => undefined });
    const isThere = await sql`select to_regclass('documents') is not null as is`;
    const rows = isThere[0]?.is === true ? await sql`select count(*)::int as n from documents` : [{ n: 0 }];
    await sql.end();
    return Number(rows[0]?.n);
  }

  it('writes a backup while the service writes, and restores everything from it', async () => {
    const then = await serving(here(), async (client) => {
      const over = new AbortController();
      const writing = (async () => {
        for (let i = 0; !over.signal.aborted; i++)
          await client('POST', '/document/books', { token, body: { late: i } });
      })();
      const args = ['backup', '--to', at('backup.tar'), '--throttle', '0'];
      await Promise.all([succeed(args, here()).finally(() => over.abort()), writing]);
      return look(client);
    });
    await succeed(['restore', '--from', at('backup.tar')], there());
    const after = await serving(there(), look);
    const { documents, ...rest } = after;
    expect(rest).toEqual({ ...then, documents: undefined });
    // Concurrent writes were sequential: the backup contains them up to some moment.
    expect(documents).toEqual(then.documents.slice(0, documents.length));
    expect(documents.length).toBeGreaterThanOrEqual(31);
  });

  it('writes a backup at a low priority, with the requested throttle', async () => {
    const fast = await succeed(['--json', 'backup', '--to', at('fast.tar'), '--throttle', '0'], here());
    expect(JSON.parse(fast)).toMatchObject({ file: at('fast.tar'), rows: { users: 3, documents: 31, files: 1 } });
    const slow = startCommand(['backup', '--to', at('slow.tar'), '--throttle', '1000'], here());
    const tasks = `/proc/${slow.pid}/task`; // on Linux each thread has a priority of its own
    const niceness = () =>
      (existsSync(tasks) ? readdirSync(tasks).map(Number) : [slow.pid]).map((id) => getPriority(id));
    await expect.poll(() => existsSync(at('slow.tar.unfinished'))).toBe(true);
    const found = niceness();
    slow.kill('SIGKILL');
    expect((await slow.ended).signal).toBe('SIGKILL'); // three hundred kilobytes take longer than this check
    expect(existsSync(at('slow.tar'))).toBe(false);
    expect(new Set(found)).toEqual(new Set([constants.priority.PRIORITY_LOW]));
  });

  it('lowers the priority of its own session, and of no other', async () => {
    // "/autogroup-4711 nice 0". Empty when the system has no autogroups, and for sessions older than them.
    const weightOf = (process: number | 'self') => {
      const path = `/proc/${process}/autogroup`;
      return existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
    };
    async function weightOfBackup(detached: boolean): Promise<string> {
      const file = at(`${detached}.tar`);
      const command = startCommand(['backup', '--to', file, '--throttle', '1000'], here(), '', { detached });
      await expect.poll(() => existsSync(`${file}.unfinished`)).toBe(true);
      const weight = weightOf(command.pid);
      command.kill('SIGKILL');
      await command.ended;
      return weight;
    }
    const other = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    const ofOther = weightOf(other.pid ?? 0);
    other.kill('SIGKILL');
    const ours = weightOf('self');

    expect(await weightOfBackup(false)).toBe(ours);
    const own = await weightOfBackup(true);
    expect(own.split(' nice ')).toEqual(
      ofOther === '' ? [''] : [expect.stringContaining('/'), String(constants.priority.PRIORITY_LOW)],
    );
    expect(own.split(' nice ')[0] === ours.split(' nice ')[0]).toBe(ofOther === '');
    expect(weightOf('self')).toBe(ours);
  });

  it('rejects damaged archives, and changes nothing', async () => {
    await succeed(['backup', '--to', at('backup.tar'), '--throttle', '0'], here());
    const whole = readFileSync(at('backup.tar'));
    const corrupted = (place: number) => {
      const bytes = Buffer.from(whole);
      bytes[place] = (bytes[place] ?? 0) ^ 1;
      return bytes;
    };
    const inRows = whole.indexOf('"name":"books"');
    const broken = [
      whole.subarray(0, whole.length >> 1),
      whole.subarray(0, whole.indexOf('checksums.json')),
      Buffer.alloc(0),
      Buffer.from('no archive at all'),
      corrupted(inRows + 9),
      corrupted(200_000),
    ];
    for (const bytes of broken) {
      writeFileSync(at('broken.tar'), bytes);
      const { code, errors } = await run(['restore', '--from', at('broken.tar')], there());
      expect([code, errors]).toEqual([1, expect.stringContaining('The archive is damaged, nothing was changed')]);
    }
    expect(await countOf(database.url)).toBe(0);
    await succeed(['restore', '--from', at('backup.tar')], there());
    const { code, errors } = await run(['restore', '--from', at('backup.tar')], there());
    expect([code, errors]).toEqual([1, expect.stringContaining('The target is not empty')]);
  });

  it('copies every table, except for short-lived ones', async () => {
    const storage = createSqliteStorage({ path: at('schema.db'), logger: silentLogger });
    await storage.migrate();
    await storage.close();
    const schema = new DatabaseSync(at('schema.db'));
    const tables = schema
      .prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`)
      .all()
      .map(({ name }) => String(name));
    for (const { name, key } of KINDS) {
      const columns = schema.prepare(`select name from pragma_table_info('${name}') where pk > 0 order by pk`).all();
      expect([name, columns.map((column) => column.name)]).toEqual([name, key]);
    }
    schema.close();
    const known = [...KINDS.map(({ name }) => name), ...TRANSIENT];
    expect(known.filter((name) => name !== ONLY_ON_POSTGRES).sort()).toEqual(tables);
  });

  it('manages users', async () => {
    await succeed(['migrate', 'up'], back());
    expect(await succeed(['migrate', 'status'], back())).toMatch(/^The schema is up to date \(version \d+\)\n$/);
    const created = await succeed(['--json', 'user', 'create', 'Zoë', '--role', 'backoffice'], back(), 'pass word\n');
    expect(JSON.parse(created)).toEqual({ username: 'Zoë', role: 'BackOffice' });
    await succeed(['user', 'role', 'Zoë', 'administrator'], back());
    await succeed(['user', 'password', 'Zoë'], back(), 'another\n');
    await serving(back(), async (client) => {
      const { status, data } = await client('POST', '/login', { body: { username: 'Zoë', password: 'another' } });
      expect([status, data.user.roles]).toEqual([200, [{ name: 'administrator' }]]);
    });
    for (const [args, message] of [
      [['user', 'create', 'zoë'], 'A user with this name, or with one that looks like it, already exists'],
      [['user', 'create', 'x', '--role', 'nobody'], 'Role not found'],
      [['user', 'password', 'nobody'], 'User not found'],
    ] as const) {
      const { code, errors } = await run(args, back(), 'x\n');
      expect([code, errors]).toEqual([1, expect.stringContaining(message)]);
    }
  });

  it('reads a password from the keyboard without showing it', async () => {
    const type = (keys: string) => typeCommand(['user', 'create', 'tess'], back(), { prompt: 'Password', keys });
    const { code, screen } = await type('hidden words!\x7f\r'); // the last key is undone
    expect(code).toBe(0);
    expect(screen).toContain('tess');
    expect(screen).not.toContain('hidden');
    await serving(back(), async (client) => {
      const body = { username: 'tess', password: 'hidden words' };
      expect((await client('POST', '/login', { body })).status).toBe(200);
    });
    expect((await type('\x03')).code).toBe(130);
    expect(await type('\x04')).toEqual({ code: 2, screen: expect.stringContaining('Nothing was changed') });
  });

  it('reports arguments that it does not understand', async () => {
    expect(await succeed(['config', 'check'], here())).toContain('"database":"sqlite"');
    const wrong = await run(['config', 'check'], { ...here(), PORT: 'many', LOG_LEVEL: 'loud' });
    expect(wrong.code).toBe(2);
    expect(wrong.errors).toMatch(/PORT must be .*\n.*LOG_LEVEL must be/s);
    expect((await run(['restore'], here())).code).toBe(2);
    expect((await run(['fly'], here())).code).toBe(2);
    const hasty = await run(['backup', '--to', at('x.tar'), '--throttle', '-1'], here());
    expect([hasty.code, hasty.errors]).toEqual([2, expect.stringContaining('--throttle')]);
    expect((await run(['backup', '--to', at('no/such/folder/x.tar')], here())).code).toBe(1);
    const memory = await run(['backup', '--to', at('x.tar')], { ...here(), DATABASE_URL: 'memory:' });
    expect(memory.errors).toBe('baobab: memory: stores nothing that could be copied\n');
    const { output } = await startCommand(['--help'], {}).ended;
    expect(readDocument('docs/cli.md')).toContain(`\`\`\`text\n${output.trimEnd()}\n\`\`\``);
  });
});
