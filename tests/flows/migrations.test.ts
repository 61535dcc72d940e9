import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Migration } from '@baobab/adapters/postgres';
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
  SLOW,
  versionOf,
} from '../support/migrations.ts';
import { startCommand } from '../support/program.ts';
import { createSetUp, SETTINGS } from '../support/set-up.ts';

const DONE = KNOWN + LATER.length;

const { cleanups, folder, database, start } = createSetUp();

const sqliteFile = async () => `sqlite:${join(folder(), 'x.db')}`;

const postgresDatabase = () => database({ empty: true });

/** A database with this program's schema and this many documents. */
async function withBooks(url: string, count: number): Promise<string> {
  await migrateLater(url, { more: [] });
  const id = '019aa000-0000-7000-8000-000000000000';
  await query(
    url,
    `insert into users (id, name, name_key, skeleton, role, status, generated, created, visible_user,
    visible_friend, visible_registered, visible_anonymous) values ('${id}', 'ann', 'ann', 'ann', 'registereduser', 'ACTIVE', 0, 1, '{}', '{}', '{}', '{}')`,
  );
  await query(url, `insert into collections (id, name, name_key, created) values ('${id}', 'books', 'books', 1)`);
  await fillBooks(url, count);
  return url;
}

/** True while another program runs the slow migration. */
async function isRunning(url: string): Promise<boolean> {
  if (!url.startsWith('sqlite:')) {
    const found = `select count(*) from pg_stat_activity where application_name = 'baobab migrations'
      and state = 'active' and query like '%recursive steps%' and datname = current_database()`;
    return (await numberOf(url, found)) > 0;
  }
  const file = new DatabaseSync(url.replace(/^sqlite:/, ''), { timeout: 0 });
  try {
    file.exec('begin immediate; rollback');
    return false;
  } catch {
    return true;
  } finally {
    file.close();
  }
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
    expect(names).toHaveLength(DONE);
    expect(await versionOf(url)).toBe(DONE);
    expect(await numberOf(url, 'select count(*) from reviews')).toBe(1);
  });

  it('leave nothing when their program is killed, and run at the next start', async () => {
    const url = await create();
    await migrateLater(url);
    const program = join(import.meta.dirname, '../support/migrate-process.ts');
    const child = spawn(process.execPath, ['--conditions=source', program, url], { stdio: 'inherit' });
    const ended = new Promise<string | null>((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
    cleanups.push(() => child.kill('SIGKILL'));
    await expect.poll(() => isRunning(url), { interval: 5 }).toBe(true);
    child.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
    expect(await versionOf(url)).toBe(DONE);
    await expect(query(url, 'select * from counted')).rejects.toThrow();

    const { logger, names } = countingLogger();
    await migrateLater(url, { more: [...LATER, SLOW], logger });
    expect(names).toEqual(['slow']);
    expect(await query(url, 'select n from counted')).toEqual([{ n: 3_000_000 }]);
    expect(await versionOf(url)).toBe(DONE + 1);
  });

  it('leave nothing of one that fails, and keep earlier ones', async () => {
    const url = await create();
    const wrong: Migration = { name: 'wrong', statements: ['create table half (id integer)', 'create nonsense'] };
    await expect(migrateLater(url, { more: [...LATER, wrong] })).rejects.toThrow();
    expect(await versionOf(url)).toBe(DONE);
    await expect(query(url, 'select * from half')).rejects.toThrow();
  });

  it('exclude programs that do not know them', async () => {
    const url = await create();
    await migrateLater(url);
    await expect(migrateLater(url, { more: [] })).rejects.toMatchObject({ code: 'storage.schema_too_new' });
    expect(await versionOf(url)).toBe(DONE);
  });

  it('are announced before they run', async () => {
    const url = await create();
    const command = async (...args: string[]) =>
      (await startCommand(args, { ...SETTINGS, DATABASE_URL: url }).ended).output;
    const before = await command('migrate', 'status');
    expect(before).toContain(`The schema is at version 0 of ${KNOWN}; pending: schema`);
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

  /** A transaction that has read documents, and stays open. */
  async function openTransaction(url: string): Promise<() => Promise<unknown>> {
    const sql = connect(url);
    await sql.unsafe('begin; lock table documents in access share mode');
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
    expect(await versionOf(url)).toBe(KNOWN);
    await end();
    await migrating;
    expect(await versionOf(url)).toBe(DONE);
  });

  it('give up after a while, with nothing changed, and say why', async () => {
    const url = await withBooks(await postgresDatabase(), 10);
    const end = await openTransaction(url);
    await expect(migrateLater(url, { timeout: 800 })).rejects.toMatchObject({
      code: 'storage.migration_blocked',
      detail: expect.stringContaining('a lock was held by others'),
    });
    expect(await versionOf(url)).toBe(KNOWN);
    await end();
    await migrateLater(url);
    expect(await versionOf(url)).toBe(DONE);
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
