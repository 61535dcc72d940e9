import {
  ArchiveError,
  type ArchiveKind,
  type ArchiveRow,
  type ArchiveSource,
  type ArchiveTarget,
  GENERATED_PASSWORD,
  isPlain,
  type SchemaStatus,
  type WriteWatch,
} from '@baobab/core';
import { pathsOfText } from '../index-paths.ts';
import type { CriteriaDialect } from '../sql/criteria/dialect.ts';
import { definitionText, indexDefinition, uniqueDefinition, uniqueName } from '../sql/indexes/indexes.ts';
import { type Migration, READ_VERSION, statusOf, type VersionRow } from '../sql/migrations.ts';
import type { SqlValue } from '../sql/statements/executor.ts';
import { KINDS, LOCAL_COLUMNS } from './kinds.ts';
import { mergeSlicesOn } from './slices.ts';

/** A single connection to copy from or to. Statements have the syntax of `SqlExecutor`. */
export interface ArchiveConnection {
  readonly criteria: CriteriaDialect;
  /** All migrations of this kind of database. */
  readonly migrations: readonly Migration[];
  all<Row>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>;
  run(sql: string, params?: readonly SqlValue[]): Promise<void>;
  /** See `ArchiveSource`. */
  estimate(kind: ArchiveKind): Promise<number>;
  /** Returns the column names of a table. */
  columns(table: string): Promise<readonly string[]>;
  /** Inserts rows that have a value for each of `columns`. */
  insert(kind: ArchiveKind, columns: readonly string[], rows: readonly ArchiveRow[]): Promise<void>;
  /** Runs `work` in a transaction, rolled back on failure. */
  atomic<T>(work: () => Promise<T>): Promise<T>;
  /** Like `atomic`, optimized for filling an empty database. */
  filling<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Default size of a batch, in characters. */
const BATCH_SIZE = 1_048_576;
/** Rows in the first batch: small, since the length of rows is unknown. */
const FIRST_ROWS = 32;
const MOST_ROWS = 1_024;

const marks = (from: number, count: number) => Array.from({ length: count }, (_, i) => `?${from + i}`).join(', ');
const lengthOf = (row: ArchiveRow) =>
  Object.values(row).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 1), 0);

/**
 * Returns the number of such rows that fit in `size`: a power of two, which limits the number of distinct statements.
 */
function rowsFor(size: number, rows: readonly ArchiveRow[]): number {
  const mean = rows.reduce((sum, row) => sum + lengthOf(row), 0) / rows.length;
  return 2 ** Math.floor(Math.log2(Math.min(MOST_ROWS, Math.max(1, size / mean))));
}

const keyOf = (kind: ArchiveKind, row: ArchiveRow): SqlValue[] => kind.key.map((column) => row[column] ?? null);

export async function countOf(connection: Pick<ArchiveConnection, 'all'>, { name }: ArchiveKind): Promise<number> {
  const [row] = await connection.all<{ n: number }>(`select count(*) as n from ${name}`);
  return row?.n ?? 0;
}

async function versionOn(connection: ArchiveConnection): Promise<number> {
  if ((await connection.columns('schema_version')).length === 0) return 0;
  const [row] = await connection.all<VersionRow>(READ_VERSION);
  return row?.version ?? 0;
}

/** Reads the status of the schema, then closes the connection. */
export async function statusOn(connection: ArchiveConnection): Promise<SchemaStatus> {
  try {
    return statusOf(connection.migrations, await versionOn(connection));
  } finally {
    await connection.close();
  }
}

/**
 * Closes the connection before throwing, since an open one would keep the process alive.
 *
 * @throws `ArchiveError` if the schema version differs from the one that this program needs
 */
export async function requireCurrent(connection: ArchiveConnection): Promise<void> {
  const needed = connection.migrations.length;
  let version = 0;
  try {
    version = await versionOn(connection);
    if (version === needed) return;
  } catch (error) {
    await connection.close();
    throw error;
  }
  await connection.close();
  const remedy = version < needed ? 'migrate it' : 'use a newer program';
  throw new ArchiveError(`The database has schema version ${version}, this program needs ${needed}: ${remedy}`);
}

/**
 * Creates a watch for writes by other connections, on a connection outside any transaction.
 *
 * @param read a statement whose `n` changes with each such write
 */
export async function createWriteWatch(connection: ArchiveConnection, read: string): Promise<WriteWatch> {
  const current = async () => (await connection.all<{ n: number | string }>(read))[0]?.n;
  let last: number | string | undefined;
  try {
    last = await current();
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    async hasWritten() {
      const before = last;
      last = await current();
      return last !== before;
    },
    close: () => connection.close(),
  };
}

/** Returns the columns of a table to copy. */
async function columnsOf(connection: ArchiveConnection, table: string): Promise<readonly string[]> {
  const columns = await connection.columns(table);
  const local = LOCAL_COLUMNS[table];
  return local === undefined ? columns : columns.filter((column) => !local.includes(column));
}

/** Creates a source on a connection with an open snapshot. */
export function createSource(connection: ArchiveConnection): ArchiveSource {
  async function page(kind: ArchiveKind, after: ArchiveRow | null, limit: number): Promise<ArchiveRow[]> {
    const [columns, key] = [(await columnsOf(connection, kind.name)).join(', '), kind.key.join(', ')];
    const behind = after === null ? '' : ` where (${key}) > (${marks(1, kind.key.length)})`;
    const sql = `select ${columns} from ${kind.name}${behind} order by ${key} limit ${limit}`;
    const rows = await connection.all<ArchiveRow>(sql, after === null ? [] : keyOf(kind, after));
    return rows.map((row) => ({ ...row })); // drivers return rows with custom prototypes
  }

  async function* read(kind: ArchiveKind, after: ArchiveRow | null, size = BATCH_SIZE) {
    let limit = FIRST_ROWS;
    let rows = await page(kind, after, limit);
    while (rows.length > 0) {
      const last = rows.length < limit ? null : (rows.at(-1) ?? null);
      limit = rowsFor(size, rows);
      yield rows;
      rows = last === null ? [] : await page(kind, last, limit);
    }
  }

  return {
    kinds: KINDS,
    count: (kind) => countOf(connection, kind),
    estimate: (kind) => connection.estimate(kind),
    read,
    close: () => connection.close(),
  };
}

/** Queries that find data not present in a new database. */
const SOMETHING = [
  `select 1 as n from users where name_key <> 'admin'`,
  'select 1 as n from roles where built_in = 0',
  // The first start marks a password that it has generated.
  `select 1 as n from settings where setting_key <> '${GENERATED_PASSWORD}'`,
  ...['collections', 'files', 'assets', 'push_messages'].map((table) => `select 1 as n from ${table}`),
];

/** See `ArchiveTarget`. */
async function isEmptyOn({ all }: Pick<ArchiveConnection, 'all'>): Promise<boolean> {
  for (const sql of SOMETHING) if ((await all(`${sql} limit 1`)).length > 0) return false;
  return true;
}

/** Returns true if the database has no data, then closes the connection. */
export async function emptinessOn(connection: ArchiveConnection): Promise<boolean> {
  try {
    return await isEmptyOn(connection);
  } finally {
    await connection.close();
  }
}

interface TargetOptions {
  readonly keepsSlices?: boolean;
  readonly clearing?: () => Promise<void>;
}

/** Builds the unique indexes. The others only serve queries, and are built by the server. */
async function buildUnique({ all, run, criteria }: ArchiveConnection): Promise<void> {
  const declared = await all<{ collection: string; path: string; name: string }>(
    'select collection, path, name from collection_indexes where is_unique = 1',
  );
  for (const { collection, path, name } of declared) {
    const paths = pathsOfText(path);
    const definition = uniqueDefinition(criteria, collection, paths.filter(isPlain));
    await run(`create unique index if not exists ${uniqueName(name)} on ${definition}`);
    await run(
      `create index if not exists ${name} on ${definitionText(indexDefinition({ criteria }, { collection }, paths))}`,
    );
  }
}

/** Marks what the server builds within a minute of its start, so that no statement relies on it before. */
const UNBUILT = [
  `update collection_indexes set state = 'building' where state = 'ready' and is_unique = 0`,
  `update list_indexes set state = 'building' where state = 'ready'`,
  `update search_indexes set state = 'building' where state = 'ready'`,
];

/**
 * Creates a target on a connection.
 *
 * @param keepsSlices true if the database supports spread collections
 * @param clearing called in the transaction that removes all data, before the removal
 * @throws like `requireCurrent`
 */
export async function createTarget(
  connection: ArchiveConnection,
  openSource: () => Promise<ArchiveSource>,
  { keepsSlices = false, clearing = async () => undefined }: TargetOptions = {},
): Promise<ArchiveTarget> {
  await requireCurrent(connection);

  async function write(kind: ArchiveKind, rows: readonly ArchiveRow[]): Promise<void> {
    const columns = await columnsOf(connection, kind.name);
    const known = new Set(columns);
    for (const row of rows) {
      const strange = Object.keys(row).find((column) => !known.has(column));
      if (strange !== undefined) throw new ArchiveError(`${kind.name} has no column "${strange}" here`);
    }
    await connection.insert(kind, columns, rows);
  }

  /** Prepares the written rows for servers. */
  const complete = async () => {
    if (!keepsSlices) await mergeSlicesOn(connection);
    await buildUnique(connection);
    for (const statement of UNBUILT) await connection.run(statement);
  };

  async function clear(): Promise<void> {
    await clearing();
    for (const { name } of KINDS.toReversed()) await connection.run(`delete from ${name}`);
  }

  return {
    kinds: KINDS,
    isEmpty: () => isEmptyOn(connection),
    async unfinished() {
      const [row] = await connection.all<{ source: string }>('select source from transfers');
      return row?.source ?? null;
    },
    begin: (source) =>
      connection.atomic(async () => {
        await clear();
        await connection.run('delete from transfers');
        await connection.run('insert into transfers (source) values (?1)', [source]);
      }),
    write: (kind, rows) => connection.atomic(() => write(kind, rows)),
    count: (kind) => countOf(connection, kind),
    async last(kind) {
      const order = kind.key.map((column) => `${column} desc`).join(', ');
      const [row] = await connection.all<ArchiveRow>(
        `select ${kind.key.join(', ')} from ${kind.name} order by ${order} limit 1`,
      );
      return row === undefined ? null : { ...row };
    },
    finish: () =>
      connection.atomic(async () => {
        await complete();
        await connection.run('delete from transfers');
      }),
    fill: (work) =>
      connection.filling(async () => {
        await clear();
        await work(write);
        await complete();
      }),
    source: openSource,
    close: () => connection.close(),
  };
}
