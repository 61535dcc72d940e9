import { join } from 'node:path';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { databaseUrl } from '../support/databases.ts';
import { until } from '../support/patience.ts';
import { startCommand } from '../support/program.ts';
import { createSetUp, SETTINGS } from '../support/set-up.ts';

const { cleanups, folder, start } = createSetUp();
let server: Sql;
let made = 0;

beforeAll(() => {
  server = postgres(inject('postgresUrl'), { max: 1, onnotice: () => undefined });
});
afterAll(() => server.end());

/** An ordinary user, and an empty database that it owns. */
async function createOwned(encoding = 'UTF8') {
  const user = `role_${process.pid}_${++made}`;
  const database = `${user}_db`;
  const onServer = (statement: string) => server.unsafe(statement);
  await onServer(`create role ${user} login`);
  await onServer(`create database ${database} owner ${user} encoding '${encoding}' template template0 locale 'C'`);
  const owner = postgres(databaseUrl(inject('postgresUrl'), database), { max: 1, onnotice: () => undefined });
  cleanups.push(async () => {
    await owner.end();
    for (const name of [database, `${database}_utf8`]) await onServer(`drop database if exists ${name} with (force)`);
    await onServer(`drop role ${user}`);
  });
  const urlOf = (name: string) => {
    const url = new URL(databaseUrl(inject('postgresUrl'), name));
    url.username = user;
    return url.href;
  };
  return { user, database, url: urlOf(database), urlOf, onServer, inside: (text: string) => owner.unsafe(text) };
}

type Owned = Awaited<ReturnType<typeof createOwned>>;

const environment = (url: string) => ({ ...SETTINGS, DATABASE_URL: url, BLOB_URL: 'memory:', DATA_DIR: folder() });

/** Faults of the database that `doctor` reports: problems and remedies. */
async function faultsOf(url: string): Promise<string[]> {
  const { output } = await runCommand(['--json', 'doctor'], environment(url));
  const findings: { check: string; state: string; text: string; remedy: string }[] = JSON.parse(output).checks;
  return findings
    .filter(({ check, state }) => check === 'database' && state === 'fault')
    .map(({ text, remedy }) => `${text}; ${remedy}`);
}

/** The SQL statements that a remedy names. */
const COMMANDS = /(?:CREATE DATABASE|CREATE SCHEMA|GRANT|ALTER ROLE|ALTER DATABASE) [^,;]+?(?=,|;| for one node|$)/g;

describe('a database that cannot be used is refused by start and doctor in the same words, with a remedy that works', () => {
  const given =
    (...statements: ((of: Owned) => string)[]) =>
    async (of: Owned) => {
      for (const statement of statements) await of.onServer(statement(of));
    };

  it.each<[string, string, (of: Owned) => Promise<unknown>, RegExp]>([
    ['the encoding LATIN1', 'LATIN1', given(), /the database "\w+" has the encoding LATIN1, and only UTF8/],
    ['no encoding', 'SQL_ASCII', given(), /has the encoding SQL_ASCII/],
    [
      'a missing schema in the search path of the role',
      'UTF8',
      given(({ user }) => `alter role ${user} set search_path = 'missing'`),
      /the search_path of the user "\w+" in the database "\w+" is missing, which names no schema that exists/,
    ],
    [
      'a missing schema in the search path of the database',
      'UTF8',
      given(({ database }) => `alter database ${database} set search_path = "$user", missing`),
      /is "\$user", missing, which names no schema that exists/,
    ],
    [
      'no right to create tables',
      'UTF8',
      async ({ inside }) =>
        inside(
          'create schema closed; alter schema public rename to gone; alter schema closed rename to public; grant usage on schema public to public',
        ),
      /the user "\w+" may not create tables in the schema "public"/,
    ],
    [
      'tables of another user',
      'UTF8',
      async ({ inside }) =>
        inside('create table schema_version as select 0::bigint as version; grant select on schema_version to public'),
      /the tables in the schema "public" belong to the user "baobab", and the user "\w+" may not change them/,
    ],
    [
      'a limit on connections of the role',
      'UTF8',
      given(({ user }) => `alter role ${user} connection limit 3`),
      /this node opens up to 13 connections, and the user "\w+" is limited to 3/,
    ],
    [
      'a limit on connections to the database',
      'UTF8',
      given(({ database }) => `alter database ${database} connection limit 5`),
      /this node opens up to 13 connections, and the database "\w+" is limited to 5/,
    ],
    [
      'a role that only reads',
      'UTF8',
      given(({ user }) => `alter role ${user} set default_transaction_read_only = on`),
      /default_transaction_read_only is on for the user "\w+" in the database "\w+", and must be off/,
    ],
    [
      'a database that only reads, for one role',
      'UTF8',
      given(
        ({ user, database }) => `alter role ${user} in database ${database} set default_transaction_read_only = on`,
      ),
      /default_transaction_read_only is on/,
    ],
    [
      'a database without foreign keys',
      'UTF8',
      given(({ database }) => `alter database ${database} set session_replication_role = replica`),
      /session_replication_role is replica/,
    ],
  ])('%s', async (_what, encoding, plant, expected) => {
    const owned = await createOwned(encoding);
    await plant(owned);
    const program = start(environment(owned.url));
    expect((await program.exit).code).toBe(1);
    expect(program.output()).not.toContain('retrying');
    const [line = '', ...others] = program.errors().trimEnd().split('\n');
    expect(line).toMatch(expected);
    expect(others).toEqual([]);

    const faults = await faultsOf(owned.url);
    expect(faults).toHaveLength(1);
    expect(line.toLowerCase()).toContain(faults[0]?.toLowerCase());

    const [command = ''] = line.match(COMMANDS) ?? [];
    await owned.inside(command);
    const url = command.startsWith('CREATE DATABASE') ? owned.urlOf(`${owned.database}_utf8`) : owned.url;
    expect(await faultsOf(url)).toEqual([]);
  });
});

it('sets what its sessions need, whatever the role and the database were given', async () => {
  const owned = await createOwned();
  const { user, database, onServer, inside, url } = owned;
  for (const [name, value] of Object.entries({
    statement_timeout: '700ms',
    lock_timeout: '1ms',
    idle_in_transaction_session_timeout: '1ms',
    idle_session_timeout: '700ms',
    default_transaction_isolation: 'serializable',
    default_transaction_deferrable: 'on',
    extra_float_digits: '-15',
    standard_conforming_strings: 'off',
    synchronous_commit: 'off',
    gin_fuzzy_search_limit: '1',
    client_encoding: 'LATIN1',
    datestyle: 'German',
    intervalstyle: 'sql_standard',
    timezone: 'Pacific/Kiritimati',
    bytea_output: 'escape',
    row_security: 'off',
    work_mem: '64kB',
    jit_above_cost: '0',
  })) {
    await onServer(`alter ${made % 2 === 0 ? `role ${user}` : `database ${database}`} set ${name} = '${value}'`);
    made++;
  }
  const env = environment(url);
  const program = start(env);
  const call = createClient(await program.ready(), SETTINGS.APP_CODE);
  const authorization = `Basic ${Buffer.from(`admin:${SETTINGS.ADMIN_PASSWORD}`).toString('base64')}`;
  const headers = { headers: { authorization } };

  await call('POST', '/admin/collection/notes', headers);
  // What the sessions of requests have, as a trigger sees it.
  await inside(`
    create table seen (synchronous text, isolation text);
    grant all on seen to ${user};
    create function see() returns trigger language plpgsql as $$ begin
      insert into seen values (current_setting('synchronous_commit'), current_setting('transaction_isolation'));
      return new; end $$;
    create trigger see after insert on documents for each row execute function see();
  `);
  for (const n of [0.1234567890123456, 2]) {
    expect((await call('POST', '/document/notes', { ...headers, body: { n, text: "日本 \\' x" } })).status).toBe(200);
  }
  expect(await inside('select distinct * from seen')).toEqual([{ synchronous: 'on', isolation: 'read committed' }]);
  await inside('drop table seen cascade; drop function see() cascade');
  const { data } = await call('GET', '/document/notes?fields=min(n)%20as%20least', headers);
  expect(data).toEqual([{ least: 0.1234567890123456 }]);

  /** Does `work` while another session locks the table for longer than the limits of the role. */
  async function whileLocked<T>(table: string, work: () => Promise<T>): Promise<T> {
    await inside('begin');
    await inside(`lock table ${table} in access exclusive mode`);
    const done = work();
    try {
      await until(async () => {
        const waiting = await server`select 1 from pg_stat_activity where datname = ${database}
          and wait_event_type = 'Lock' and now() - query_start > interval '1 second'`;
        return waiting.length > 0;
      });
    } finally {
      await inside('rollback');
    }
    return done;
  }

  const written = await whileLocked('documents', () =>
    call('POST', '/document/notes', { ...headers, body: { n: 3, text: 'waited' } }),
  );
  expect(written.status).toBe(200);

  const archive = join(folder(), 'backup.tar');
  const backup = await whileLocked('documents', () => startCommand(['backup', '--to', archive], env).ended);
  expect([backup.code, backup.errors]).toEqual([0, expect.any(String)]);
  await program.dispose();

  const target = await createOwned();
  for (const [name, value] of [
    ['statement_timeout', '700ms'],
    ['idle_in_transaction_session_timeout', '1ms'],
    ['default_transaction_isolation', 'serializable'],
  ]) {
    await target.onServer(`alter role ${target.user} set ${name} = '${value}'`);
  }
  const restored = await startCommand(['restore', '--from', archive], environment(target.url)).ended;
  expect([restored.code, restored.errors]).toEqual([0, expect.any(String)]);
  expect(await target.inside('select count(*)::int as n from documents')).toEqual([{ n: 3 }]);
});
