import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { s3Options, s3Url } from '../support/blobs.ts';
import { runCommand } from '../support/command.ts';
import { createDatabase } from '../support/databases.ts';
import { PROGRAM, type Program, startProgram } from '../support/program.ts';
import { createSetUp } from '../support/set-up.ts';

const NOBODY = 65_534;
const IN_MEMORY = { DATABASE_URL: 'memory:', BLOB_URL: 'memory:' };

const { cleanups, folder } = createSetUp();

function file(text = ''): string {
  const path = join(folder(), 'file');
  writeFileSync(path, text);
  return path;
}

/** A port on which another program listens. */
async function takenPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanups.push(() => server.close());
  const address = server.address();
  return typeof address === 'object' ? String(address?.port) : '';
}

function s3(change: Partial<ReturnType<typeof s3Options>>): Record<string, string> {
  const options = { ...s3Options(), ...change };
  const { accessKeyId = '', secretAccessKey = '' } = options.credentials ?? {};
  return { BLOB_URL: s3Url(options), AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
}

function start(environment: Readonly<Record<string, string>>, uid?: number): Program {
  const program = startProgram({ DATA_DIR: folder(), ...environment }, uid === undefined ? {} : { uid });
  cleanups.push(() => program.dispose());
  return program;
}

describe('a start that cannot succeed names the variable and the remedy, in one line without a stack', () => {
  async function refusal(environment: Readonly<Record<string, string>>, uid?: number): Promise<string> {
    const program = start(environment, uid);
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.errors()).toMatch(/^baobab: [^\n]+\n$/);
    return program.errors().slice('baobab: '.length).trimEnd();
  }

  it('a version of Node that is too old', async () => {
    const older = join(folder(), 'older.cjs');
    writeFileSync(older, "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });");
    expect(await refusal({ ...IN_MEMORY, NODE_OPTIONS: `--require=${older}` })).toMatch(
      /^Node 20\.20\.2 is too old: install Node 22\.16 or newer; /,
    );
  });

  it.each<[string, () => Promise<Record<string, string>>, RegExp]>([
    [
      'a port in use',
      async () => ({ ...IN_MEMORY, PORT: await takenPort() }),
      /^PORT: another program listens on port \d+; stop it, or choose another port$/,
    ],
    [
      'a port in use for metrics',
      async () => ({ ...IN_MEMORY, METRICS_PORT: await takenPort() }),
      /^METRICS_PORT: another program listens on port \d+; /,
    ],
    [
      'an address of another machine',
      async () => ({ ...IN_MEMORY, HOST: '192.0.2.1' }),
      /^HOST: this is not an address of this machine; /,
    ],
    [
      'a host that has no address',
      async () => ({ ...IN_MEMORY, HOST: 'nowhere.invalid' }),
      /^HOST: this is not an address of this machine; /,
    ],
    [
      'a file as data folder',
      async () => ({ DATA_DIR: file() }),
      /^DATA_DIR: \S+ is a file where a folder is needed; move the file away, or name another folder$/,
    ],
    ['a data folder below a file', async () => ({ DATA_DIR: join(file(), 'data') }), /^DATA_DIR: .* is a file where/],
    [
      'a file as data folder, with other databases',
      async () => ({ DATABASE_URL: 'postgres://localhost/x', DATA_DIR: file() }),
      /^DATA_DIR: .* is a file where/,
    ],
    [
      'a database below a file',
      async () => ({ DATABASE_URL: `sqlite:${join(file(), 'baobab.db')}` }),
      /^DATABASE_URL: .* is a file where/,
    ],
    [
      'a database file that is not a database',
      async () => ({ DATABASE_URL: `sqlite:${file('this is no database, whatever '.repeat(100))}` }),
      /^DATABASE_URL: \S+ is not an SQLite database; move the file away, /,
    ],
    ['a folder as database', async () => ({ DATABASE_URL: `sqlite:${folder()}` }), /^DATABASE_URL: .*name a file, not/],
    ['a file as folder of blobs', async () => ({ BLOB_URL: `file:${file()}` }), /^BLOB_URL: .* is a file where/],
    [
      'an S3 bucket that does not exist',
      async () => ({ DATABASE_URL: 'memory:', ...s3({ bucket: 'no-such-bucket' }) }),
      /^BLOB_URL: bucket "no-such-bucket" at http:\S+: there is no such bucket \(NoSuchBucket[^)]*\); create the bucket, or correct its name$/,
    ],
  ])('%s', async (_what, environment, expected) => {
    expect(await refusal(await environment())).toMatch(expected);
  });

  it.each([
    [
      'the data folder',
      (path: string) => ({ DATA_DIR: path }),
      /^DATA_DIR: the user of this process may not write to /,
    ],
    [
      'the folder of the database',
      (path: string) => ({ DATABASE_URL: `sqlite:${path}/baobab.db` }),
      /^DATABASE_URL: the user of this process may not write to /,
    ],
    [
      'the folder of blobs',
      (path: string) => ({ DATABASE_URL: 'memory:', BLOB_URL: `file:${path}` }),
      /^BLOB_URL: the user of this process may not write to .*; change the owner of the folder, or name another one/,
    ],
  ])('%s is not writable', async (_what, environment, expected) => {
    const path = join(folder(), 'closed');
    mkdirSync(path);
    chmodSync(join(path, '..'), 0o755);
    chmodSync(path, 0o555);
    const isRoot = process.getuid?.() === 0;
    const data = join(folder(), 'data');
    chmodSync(join(data, '..'), 0o777);
    expect(await refusal({ DATA_DIR: data, ...environment(path) }, isRoot ? NOBODY : undefined)).toMatch(expected);
  });
});

describe('a start that may still succeed waits, and names the variable and the remedy at once', () => {
  const firstLine = async (DATABASE_URL: string) => {
    const program = start({ DATABASE_URL });
    const { level, reason, retryInMs } = JSON.parse(await program.line('database unavailable, retrying'));
    expect([level, retryInMs]).toEqual([40, 500]);
    expect(program.output()).not.toContain('"stack"');
    return reason;
  };

  async function emptyDatabase(): Promise<URL> {
    const { url, drop } = await createDatabase({ empty: true });
    cleanups.push(drop);
    return new URL(url);
  }

  it('a Postgres server that does not answer', async () => {
    expect(await firstLine('postgres://ann:hidden@127.0.0.1:1/app')).toMatch(
      /^DATABASE_URL: no Postgres server answers at 127\.0\.0\.1:1; start it, correct host and port, or open the firewall \(.*REFUSED.*\)$/,
    );
  });

  it('a host that does not exist', async () => {
    expect(await firstLine('postgres://nowhere.invalid/app')).toMatch(
      /^DATABASE_URL: the host of nowhere\.invalid:5432 /,
    );
  });

  it('a wrong name of the database', async () => {
    const url = await emptyDatabase();
    url.pathname += '_wrong';
    expect(await firstLine(url.href)).toMatch(
      /^DATABASE_URL: Postgres at \S+ has no database "\w+_wrong"; create it with CREATE DATABASE, or/,
    );
  });

  it('a role that does not exist', async () => {
    const url = await emptyDatabase();
    url.username = 'nobody_has_this_name';
    expect(await firstLine(url.href)).toMatch(/^DATABASE_URL: Postgres at \S+ re\w+ .*"nobody_has_this_name"; /);
  });

  it('a wrong password', async () => {
    const url = await emptyDatabase();
    const user = `with_password_${url.pathname.slice(1)}`;
    const sql = postgres(url.href, { max: 1 });
    await sql.unsafe(`create role ${user} login password 'right'`);
    // The test server asks nobody for a password. This line makes it ask this role.
    await sql.unsafe(`
      create temp table rules (at serial, line text);
      insert into rules (line) values ('host all ${user} all scram-sha-256');
      insert into rules (line) select unnest(string_to_array(pg_read_file(current_setting('hba_file')), e'\\n'));
      do $$ begin
        execute format('copy (select line from rules order by at) to %L (format text)', current_setting('hba_file'));
      end $$;
      select pg_reload_conf();
    `);
    cleanups.push(async () => {
      await sql.unsafe(`drop role ${user}`);
      await sql.end();
    });
    url.username = user;
    url.password = 'wrong-and-hidden';
    const reason = await firstLine(url.href);
    expect(reason).toMatch(
      /^DATABASE_URL: Postgres at \S+ rejects the name or password of the user "with_password_\w+"; /,
    );
    expect(reason).not.toContain('hidden');
  });
});

it('refuses a command for the command line, instead of starting a server', async () => {
  const program = startProgram(IN_MEMORY, { command: [PROGRAM, 'config', 'check'] });
  cleanups.push(() => program.dispose());
  expect((await program.exit).code).toBe(2);
  expect(program.errors()).toContain('npx baobab');
});

it('does not take tables for missing that the user may not read', async () => {
  const database = await createDatabase();
  const sql = postgres(database.url, { max: 1 });
  const role = `without_rights_${Date.now()}`;
  await sql.unsafe(`create role ${role} login`);
  cleanups.push(async () => {
    await sql.unsafe(`drop role ${role}`);
    await sql.end();
    await database.drop();
  });
  const url = new URL(database.url);
  url.username = role;
  const variables = { DATABASE_URL: url.href, BLOB_URL: 'memory:', DATA_DIR: folder() };
  const reason = 'permission denied for table schema_version';
  expect((await runCommand(['doctor'], variables)).output).toContain(`The schema cannot be read: ${reason}`);
  expect(await runCommand(['user', 'list'], variables)).toMatchObject({ code: 1, errors: `baobab: ${reason}\n` });
});
