import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { AppError, createBoundedCache, kilometres } from '@baobab/core';
import type { ReadBound, SqlValue, StatementWatch } from '../sql/statements/executor.ts';
import { compile } from '../sql/statements/statement.ts';
import { KILOMETRES, TO_LOWER_CASE, TO_UPPER_CASE } from './criteria.ts';
import { type SearchLimit, watchSearches } from './search-work.ts';

/** Maximum wait of a statement for another writing process, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5_000;

/** Maximum number of statements with criteria that a connection keeps prepared. */
const KEPT_SEARCHES = 256;

interface Prepared {
  readonly statement: StatementSync;
  readonly bind: (params: readonly SqlValue[]) => SqlValue[];
  readonly toRow: (values: unknown) => unknown;
}

/**
 * Creates a function that builds rows with the columns' names. The driver's own objects take twice as long to create,
 * and longer to read.
 */
function createToRow(names: readonly string[]): Prepared['toRow'] {
  return (values) => {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) row[names[i] as string] = (values as readonly unknown[])[i];
    return row;
  };
}

/** Clears the error of a failed iteration, which the driver would report again at the next use. */
function clearError(statement: Prepared['statement'], values: SqlValue[]): void {
  try {
    statement.iterate(...values);
  } catch {
    // The old error.
  }
}

/** Maximum number of bytes in UTF-8 of one UTF-16 unit. */
const BYTES_PER_UNIT = 3;

/** Returns the size of the heavy columns. @param sizeOf size of a text */
function sizeOfRow(row: Record<string, unknown>, heavy: readonly string[], sizeOf: (text: string) => number): number {
  let size = 0;
  for (const name of heavy) {
    const text = row[name];
    if (typeof text === 'string') size += sizeOf(text);
  }
  return size;
}

const mostBytes = (text: string) => text.length * BYTES_PER_UNIT;

/** Reads rows one by one, up to the bound. Exact sizes are only counted near the bound. */
function firstRows<Row>({ statement, toRow }: Prepared, values: SqlValue[], { maxBytes, heavy }: ReadBound): Row[] {
  const rows: Record<string, unknown>[] = [];
  let most = 0;
  try {
    for (const cells of statement.iterate(...values)) {
      const row = toRow(cells) as Record<string, unknown>;
      rows.push(row);
      most += sizeOfRow(row, heavy, mostBytes);
      if (most <= maxBytes) continue;
      most = rows.reduce((bytes, one) => bytes + sizeOfRow(one, heavy, Buffer.byteLength), 0);
      if (most > maxBytes && rows.length > 1) break;
    }
  } catch (error) {
    clearError(statement, values);
    throw error;
  }
  return rows as Row[];
}

/** A connection with a cache of prepared statements. */
export interface Connection {
  all<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound): Row[];
  /** Returns the first row, or null if there is none. */
  get<Row>(sql: string, params: readonly SqlValue[]): Row | null;
  /** Like `all`, for texts of unlimited variety: the most recently used are cached. @throws `SearchStopped` */
  search<Row>(sql: string, params: readonly SqlValue[], limit: SearchLimit, bound?: ReadBound): Row[];
  /** Returns the number of changed rows. */
  run(sql: string, params: readonly SqlValue[]): number;
  /** Runs one or several statements, without keeping them prepared. */
  exec(sql: string): void;
  /** Defines a function without parameters for statements of this connection. It may run statements itself. */
  define(name: string, work: () => bigint): void;
  close(): void;
}

interface ConnectionOptions {
  readonly readOnly: boolean;
  readonly watch?: StatementWatch;
  /** Maximum size of its page cache, in bytes. 64 MiB by default. */
  readonly cacheBytes?: number;
}

const KIB = 1_024;
const DEFAULT_CACHE_BYTES = 65_536 * KIB;

/** @throws `storage.unavailable` if the file cannot be opened as a database */
export function openConnection(
  path: string,
  { readOnly, watch = () => undefined, cacheBytes = DEFAULT_CACHE_BYTES }: ConnectionOptions,
): Connection {
  const database = open(path, readOnly, cacheBytes);
  const work = watchSearches(database);
  const statements = new Map<string, Prepared>();
  const searches = createBoundedCache<string, Prepared>(KEPT_SEARCHES);

  /**
   * Prepares a statement, twice if needed. After another connection has changed the schema, opening the full-text table
   * makes SQLite forget the old schema while it parses the statement, which then finds no tables.
   */
  function parse(text: string): StatementSync {
    try {
      return database.prepare(text);
    } catch {
      return database.prepare(text);
    }
  }

  function prepare(sql: string, kept: { set(sql: string, prepared: Prepared): unknown }): Prepared {
    const { text, bind } = compile('anonymous', sql);
    const statement = parse(text);
    statement.setReturnArrays(true);
    const prepared = { statement, bind, toRow: createToRow(statement.columns().map(({ name }) => name)) };
    kept.set(sql, prepared);
    return prepared;
  }

  /** Translates the errors of `work`, and measures its duration. */
  function guarded<Args extends readonly unknown[], Result>(work: (sql: string, ...args: Args) => Result) {
    return (sql: string, ...args: Args): Result => {
      const begun = performance.now();
      try {
        return work(sql, ...args);
      } catch (error) {
        throw translate(error);
      } finally {
        watch(sql, performance.now() - begun);
      }
    };
  }

  function rowsOf(prepared: Prepared, params: readonly SqlValue[], bound?: ReadBound): unknown[] {
    const { statement, bind, toRow } = prepared;
    if (bound !== undefined) return firstRows(prepared, bind(params), bound);
    return statement.all(...bind(params)).map(toRow);
  }

  return {
    all: guarded((sql, params: readonly SqlValue[], bound?: ReadBound) =>
      rowsOf(statements.get(sql) ?? prepare(sql, statements), params, bound),
    ) as Connection['all'],
    get: guarded((sql, params: readonly SqlValue[]) => {
      const { statement, bind, toRow } = statements.get(sql) ?? prepare(sql, statements);
      const values = statement.get(...bind(params));
      return values === undefined ? null : toRow(values);
    }) as Connection['get'],
    run: guarded((sql, params: readonly SqlValue[]) => {
      const { statement, bind } = statements.get(sql) ?? prepare(sql, statements);
      return Number(statement.run(...bind(params)).changes);
    }),
    search: guarded((sql, params: readonly SqlValue[], limit: SearchLimit, bound?: ReadBound) =>
      work.limited(limit, () => rowsOf(searches.get(sql) ?? prepare(sql, searches), params, bound)),
    ) as Connection['search'],
    exec: guarded((sql) => database.exec(sql)),
    define: (name, work) => database.function(name, work),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

/** Restricts the files to their owner, even in a folder open to other users. */
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/**
 * Creates the folder and the file if they are missing, and restricts files that other programs made, such as a copy.
 * SQLite creates the files next to the database with the same mode.
 */
function keepPrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    // Never opens an existing file: closing it would release the locks that this process holds on it
    // (https://www.sqlite.org/howtocorrupt.html, 2.2).
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = statSync(file, { throwIfNoEntry: false });
    // A folder named by mistake keeps its mode: nobody could use it otherwise.
    if (found?.isFile() && (found.mode & OTHERS) !== 0) closeToOthers(file);
  }
}

function closeToOthers(file: string): void {
  try {
    chmodSync(file, OWNER_ONLY);
  } catch {
    // Another user owns the file, or the system has no modes.
  }
}

function open(path: string, readOnly: boolean, cacheBytes: number): DatabaseSync {
  try {
    if (!readOnly) keepPrivate(path);
    const database = new DatabaseSync(path, { readOnly, timeout: BUSY_TIMEOUT_MS });
    if (!readOnly) {
      // With WAL, readers continue while one connection writes. FULL syncs every commit: acknowledged means on disk.
      database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    }
    database.exec(`pragma cache_size = ${-Math.ceil(cacheBytes / KIB)}; pragma temp_store = memory`);
    addFunctions(database);
    return database;
  } catch (error) {
    throw new AppError('storage.unavailable', { detail: `cannot open the SQLite database ${path}`, cause: error });
  }
}

/** Defines the functions that filters need and SQLite lacks. */
function addFunctions(database: DatabaseSync): void {
  const deterministic = { deterministic: true };
  const toLowerCase = (text: SQLOutputValue, _unicode: SQLOutputValue) => String(text).toLowerCase();
  database.function(TO_LOWER_CASE, deterministic, toLowerCase);
  database.function(TO_UPPER_CASE, deterministic, (text: SQLOutputValue) => String(text).toUpperCase());
  database.function(KILOMETRES, { ...deterministic, varargs: true }, (...degrees: SQLOutputValue[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = degrees.map(Number);
    return kilometres(a, b, c, d);
  });
}

/** SQLite's result codes: https://www.sqlite.org/rescode.html */
const CONSTRAINT = 19;
const BUSY = 5;
/** `SQLITE_IOERR` and `SQLITE_FULL`. */
const DISK_FAULTS = new Set([10, 13]);
const FOREIGN_KEY = 787;
const UNIQUE = 2067;

function resultCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null;
  return error.errcode;
}

/**
 * The only place that translates driver errors. Constraint violations are left to the stores, which know their
 * meaning.
 */
function translate(error: unknown): unknown {
  const code = resultCode(error);
  if (code !== null) {
    return (code & 0xff) === CONSTRAINT ? error : new AppError('storage.unavailable', { cause: error });
  }
  const isClosed = error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE';
  return isClosed ? new AppError('storage.unavailable', { detail: 'the database is closed', cause: error }) : error;
}

/** Returns true if another process holds the requested lock. */
export function isBusy(error: unknown): boolean {
  const code = error instanceof AppError ? resultCode(error.cause) : null;
  return code !== null && (code & 0xff) === BUSY;
}

/** Returns true if the disk is full or broken. */
export function isDiskFault(error: unknown): boolean {
  const code = error instanceof AppError ? resultCode(error.cause) : null;
  return code !== null && DISK_FAULTS.has(code & 0xff);
}

export const isForeignKeyViolation = (error: unknown) => resultCode(error) === FOREIGN_KEY;
export const isUniqueViolation = (error: unknown) => resultCode(error) === UNIQUE;
