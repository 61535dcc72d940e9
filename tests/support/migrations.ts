import { createPostgresStorage, type Migration, POSTGRES_MIGRATIONS } from '@baobab/adapters/postgres';
import { createSqliteStorage, SQLITE_MIGRATIONS } from '@baobab/adapters/sqlite';
import type { Logger, Storage } from '@baobab/core';
import postgres from 'postgres';
import { silentLogger } from './logger.ts';

/** Schema version of this program. */
export const KNOWN = POSTGRES_MIGRATIONS.length;

const TABLES = ['users', 'sessions', 'collections', 'document_grants', 'roles', 'settings', 'follows', 'jobs'];

/** Migrations of a possible later program, on tables in use. */
export const LATER: readonly Migration[] = [
  { name: 'rating', statements: ['alter table documents add column rating integer not null default 0'] },
  {
    name: 'reviews',
    statements: [
      'create table reviews (id integer primary key, stars integer not null)',
      'insert into reviews (id, stars) values (1, 5)',
      ...TABLES.map((table) => `alter table ${table} add column added_later integer not null default 7`),
    ],
  },
];

/** A migration that takes a second or two. */
export const SLOW: Migration = {
  name: 'slow',
  statements: [
    'create table counted (n integer)',
    `insert into counted (n)
      with recursive steps (n) as (select 1 union all select n + 1 from steps where n < 3000000)
      select count(*) from steps`,
  ],
};

const isPostgres = (url: string) => url.startsWith('postgres:');
const pathOf = (url: string) => url.replace(/^sqlite:/, '');

export interface Opened {
  readonly more?: readonly Migration[];
  readonly logger?: Logger;
  readonly timeout?: number;
}

/** Opens the storage of a program with the `more` migrations in addition to the current ones. */
export function openLater(url: string, { more = LATER, logger = silentLogger, timeout }: Opened = {}): Storage {
  return isPostgres(url)
    ? createPostgresStorage({
        url,
        logger,
        connections: 2,
        migrations: [...POSTGRES_MIGRATIONS, ...more],
        ...(timeout === undefined ? {} : { migrationTimeout: timeout }),
      })
    : createSqliteStorage({ path: pathOf(url), logger, migrations: [...SQLITE_MIGRATIONS, ...more] });
}

/** Migrates the database like such a program does when it starts. */
export async function migrateLater(url: string, options: Opened = {}): Promise<void> {
  const storage = openLater(url, options);
  await storage.migrate().finally(() => storage.close());
}

/** Creates a logger that collects the names of the migrations in its messages. */
export function countingLogger() {
  const names: string[] = [];
  const logger: Logger = {
    ...silentLogger,
    info: (bindings) => names.push(String((bindings as { migration?: string }).migration)),
  };
  return { logger, names };
}

type Row = Record<string, unknown>;

/** Returns the rows of a statement on a separate connection, for either database. */
export async function query(url: string, statement: string): Promise<Row[]> {
  if (isPostgres(url)) {
    const sql = postgres(url, { max: 1, onnotice: () => undefined });
    return sql.unsafe<Row[]>(statement).finally(() => sql.end());
  }
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(pathOf(url), { timeout: 10_000 });
  try {
    return database.prepare(statement).all();
  } finally {
    database.close();
  }
}

export async function numberOf(url: string, statement: string): Promise<number> {
  const [row = {}] = await query(url, statement);
  return Number(Object.values(row)[0]);
}

export const versionOf = (url: string) => numberOf(url, 'select version from schema_version');

/** Inserts documents into the collection `books` without the server. */
export async function fillBooks(url: string, count: number): Promise<void> {
  const [series, id] = isPostgres(url)
    ? [`generate_series(1, ${count}) as n(i)`, "('019aa000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid"]
    : [
        `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) n`,
        "printf('019aa000-0000-7000-8000-%012d', i)",
      ];
  await query(
    url,
    `insert into documents (id, collection, author, version, created, updated, content)
    select ${id}, c.id, u.id, 1, 1, 1, '{"filler":true}' from ${series}, collections c, users u
    where u.name = 'ann' and c.name = 'books'`,
  );
}
