import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Migration, POSTGRES_MIGRATIONS } from '@baobab/adapters/postgres';
import postgres, { type Sql } from 'postgres';
import { describe, expect, it } from 'vitest';
import { LOCK } from '../../packages/adapters/src/postgres/schema-lock.ts';
import {
  countingLogger,
  fillBooks,
  KNOWN,
  LATER,
  migrateLater,
  numberOf,
  openLater,
  query,
  stateOf,
} from '../support/migrations.ts';
import { startCommand } from '../support/program.ts';
import { createSetUp, SETTINGS } from '../support/set-up.ts';

const DONE = { version: KNOWN + LATER.length, compatibleFrom: 1 };

const { cleanups, folder, database, start } = createSetUp();

const sqliteFile = async () => `sqlite:${join(folder(), 'x.db')}`;

const postgresDatabase = () => database({ empty: true });

/** A database with this program's schema and this many documents. */
async function withBooks(url: string, count: number): Promise<string> {
  await migrateLater(url, { more: [] });
  const id = '019aa000-0000-7000-8000-000000000000';
  await query(
    url,
    `insert into users (id, name, name_key, role, status, generated, created, visible_user, visible_friend,
    visible_registered, visible_anonymous) values ('${id}', 'ann', 'ann', 'registereduser', 'ACTIVE', 0, 1, '{}', '{}', '{}', '{}')`,
  );
  await query(url, `insert into collections (id, name, name_key, created) values ('${id}', 'books', 'books', 1)`);
  await fillBooks(url, count);
  return url;
}

const EVERY_DATABASE = [
  ['Postgres', postgresDatabase],
  ['SQLite', sqliteFile],
] as const;

describe.each(EVERY_DATABASE)('migrations on %s', (_name, create) => {
  it('run once when several programs start together', async () => {
    const url = await create();
    const { logger, names } = countingLogger();
    await Promise.all(Array.from({ length: 4 }, () => migrateLater(url, { logger })));
    expect(names).toEqual([...new Set(names)]);
    expect(names).toHaveLength(KNOWN + LATER.length);
    expect(await stateOf(url)).toEqual(DONE);
    expect(await numberOf(url, 'select count(*) from reviews')).toBe(1);
  });

  it.each([
    ['empty tables', async (url: string) => url],
    ['tables with rows', (url: string) => withBooks(url, 2)],
  ])('build every index, of %s', async (_of, fill) => {
    const url = await fill(await create());
    await migrateLater(url);
    const built = await query(
      url,
      url.startsWith('sqlite:')
        ? "select name from sqlite_schema where type = 'index'"
        : 'select indexrelid::regclass::text as name from pg_index where indisvalid',
    );
    const wanted = [...POSTGRES_MIGRATIONS, ...LATER].flatMap((one) => ('index' in one ? [one.index.name] : []));
    expect(wanted.length).toBeGreaterThan(2);
    expect(built.map(({ name }) => name)).toEqual(expect.arrayContaining(wanted));
  });

  it('resume where a program was killed', async () => {
    const url = await withBooks(await create(), 60_000);
    const program = join(import.meta.dirname, '../support/migrate-process.ts');
    const child = spawn(process.execPath, ['--conditions=source', program, url], { stdio: 'inherit' });
    const ended = new Promise<string | null>((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
    cleanups.push(() => child.kill('SIGKILL'));
    const filled = () => numberOf(url, 'select count(*) from documents where rating > 0').catch(() => 0);
    await expect.poll(filled, { interval: 5 }).toBeGreaterThan(0);
    child.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
    expect(await filled()).toBeLessThan(60_000);
    expect(await stateOf(url)).toEqual({ version: DONE.version - 1, compatibleFrom: 1 });

    const { logger, names } = countingLogger();
    await migrateLater(url, { logger });
    expect(names).toEqual(['ratings']);
    expect(await filled()).toBe(60_000);
    expect(await stateOf(url)).toEqual(DONE);
  });

  it('leave nothing of one that fails, and keep earlier ones', async () => {
    const url = await create();
    const wrong: Migration = { name: 'wrong', statements: ['create table half (id integer)', 'create nonsense'] };
    await expect(migrateLater(url, { more: [...LATER, wrong] })).rejects.toThrow();
    expect(await stateOf(url)).toEqual(DONE);
    await expect(query(url, 'select * from half')).rejects.toThrow();
  });

  it('reject programs that a long migration will make incompatible before it begins', async () => {
    const url = await withBooks(await create(), 2);
    const index = { name: 'one_of_each', on: 'documents (author)', isUnique: true };
    const unique: Migration = { name: 'unique', index, compatibleFrom: KNOWN + 1 };
    await expect(migrateLater(url, { more: [unique] })).rejects.toThrow(/unique/i);
    expect(await stateOf(url)).toEqual({ version: KNOWN, compatibleFrom: KNOWN + 1 });
    await expect(migrateLater(url, { more: [] })).rejects.toMatchObject({ code: 'storage.schema_too_new' });
    // The failed migration does not block later ones.
    await query(
      url,
      `insert into documents (id, collection, author, version, created, updated, content)
      select '019aa000-0000-7000-8000-00000000ffff', collection, author, version, created, updated,
      content from documents limit 1`,
    );
    await query(url, `delete from documents where id <> '019aa000-0000-7000-8000-000000000001'`);
    await migrateLater(url, { more: [unique] });
    expect(await stateOf(url)).toEqual({ version: KNOWN + 1, compatibleFrom: KNOWN + 1 });
  });

  it('handle a database that does not record compatible programs yet', async () => {
    const url = await create();
    await migrateLater(url, { more: [] });
    await query(url, 'alter table schema_version drop column compatible_from');
    const status = startCommand(['migrate', 'status'], { ...SETTINGS, DATABASE_URL: url });
    expect((await status.ended).output).toBe(`The schema is up to date (version ${KNOWN})\n`);
    await migrateLater(url);
    expect(await stateOf(url)).toEqual(DONE);
  });

  it('are announced before they run', async () => {
    const url = await create();
    const command = async (...args: string[]) =>
      (await startCommand(args, { ...SETTINGS, DATABASE_URL: url }).ended).output;
    const before = await command('migrate', 'status');
    expect(before).toContain(`The schema is at version 0 of ${KNOWN}; pending: foundation`);
    expect(JSON.parse(await command('--json', 'migrate', 'status'))).toMatchObject({ state: 'behind', current: 0 });
    expect(await command('migrate', 'up')).toBe(`The schema is up to date (version ${KNOWN})\n`);
  });
});

describe('migrations on Postgres', () => {
  function connect(url: string): Sql {
    const sql = postgres(url, { max: 1, onnotice: () => undefined });
    cleanups.push(() => sql.end({ timeout: 1 }));
    return sql;
  }

  /** A transaction that has read or changed documents, and stays open. */
  async function openTransaction(url: string, mode = 'access share'): Promise<() => Promise<unknown>> {
    const sql = connect(url);
    await sql.unsafe(`begin; lock table documents in ${mode} mode`);
    return () => sql.unsafe('commit');
  }

  it('let readers through while they wait for a lock', async () => {
    const url = await withBooks(await postgresDatabase(), 10);
    const end = await openTransaction(url);
    const migrating = migrateLater(url);
    const sql = connect(url);
    const waits = async () =>
      (
        await sql`select count(*)::int as n from pg_locks join pg_database on pg_database.oid = database
          where not granted and relation = 'documents'::regclass and datname = current_database()`
      )[0]?.n;
    // It waits in short attempts; behind a statement that waits without end none of these would be answered.
    for (let round = 0; round < 3; round++) {
      await expect.poll(waits, { interval: 5 }).toBeGreaterThan(0);
      for (let read = 0; read < 10; read++) await sql`select count(*) from documents`;
    }
    expect(await stateOf(url)).toEqual({ version: KNOWN, compatibleFrom: 1 });
    await end();
    await migrating;
    expect(await stateOf(url)).toEqual(DONE);
  });

  it('give up after a while, with nothing changed, and say why', async () => {
    const url = await withBooks(await postgresDatabase(), 10);
    const end = await openTransaction(url);
    await expect(migrateLater(url, { timeout: 800 })).rejects.toMatchObject({
      code: 'storage.migration_blocked',
      detail: expect.stringContaining('a lock was held by others'),
    });
    expect(await stateOf(url)).toEqual({ version: KNOWN, compatibleFrom: 1 });
    await end();
    await migrateLater(url);
    expect(await stateOf(url)).toEqual(DONE);
  });

  it('rebuild an index that a crash has left half-built', async () => {
    const url = await withBooks(await postgresDatabase(), 10);
    await migrateLater(url, { more: LATER.slice(0, 2) });
    const end = await openTransaction(url, 'row exclusive');
    const crashing = migrateLater(url).then(
      () => null,
      (error: Error) => error,
    );
    const sql = connect(url);
    const isValid = async () =>
      (await sql`select indisvalid as is from pg_index where indexrelid = to_regclass('documents_by_update')`)[0]?.is;
    await expect.poll(isValid).toBe(false);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'baobab migrations' and datname = current_database()`;
    expect(await crashing).toMatchObject({ code: 'storage.unavailable' });
    await end();
    expect(await isValid()).toBe(false);
    expect(await stateOf(url)).toEqual({ version: KNOWN + 2, compatibleFrom: 1 });
    await migrateLater(url);
    expect(await isValid()).toBe(true);
    expect(await stateOf(url)).toEqual(DONE);
  });

  it('wait for concurrent migrations, but only for a limited time, and not at all when there is nothing to migrate', async () => {
    const url = await postgresDatabase();
    await migrateLater(url, { more: [] });
    await connect(url)`select pg_advisory_lock(${LOCK})`;
    await migrateLater(url, { more: [] });
    await expect(migrateLater(url, { timeout: 600 })).rejects.toMatchObject({
      code: 'storage.migration_blocked',
      detail: expect.stringContaining('another program has been changing the schema'),
    });
    const waiting = openLater(url, {});
    const ended = expect(waiting.migrate()).rejects.toMatchObject({ code: 'storage.unavailable' });
    await waiting.close();
    await ended;
  });

  it('do not prevent a program from stopping', async () => {
    const url = await postgresDatabase();
    await connect(url)`select pg_advisory_lock(${LOCK})`;
    const program = start({ DATABASE_URL: url, LOG_LEVEL: 'debug' });
    // Of this database: other tests migrate theirs on the same server.
    const waits = () =>
      numberOf(
        url,
        `select count(*) from pg_stat_activity
         where application_name = 'baobab migrations' and datname = current_database()`,
      );
    await expect.poll(waits).toBe(1);
    program.kill('SIGTERM');
    expect(await program.exit).toEqual({ code: 0, signal: null }); // not 0 when the stop has to be forced
  });
});
