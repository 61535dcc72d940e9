import { existsSync } from 'node:fs';
import { AppError, type Archive, type ArchiveRow, type Logger } from '@baobab/core';
import { statusOf } from '../sql/migrations.ts';
import type { SqlValue } from '../sql/statements/executor.ts';
import { SQLITE_CRITERIA } from '../sqlite/criteria.ts';
import { BUSY_TIMEOUT_MS, isBusy, openConnection } from '../sqlite/database.ts';
import { SQLITE_MIGRATIONS } from '../sqlite/schema.ts';
import { UNLIMITED } from '../sqlite/search-work.ts';
import {
  type ArchiveConnection,
  countOf,
  createSource,
  createTarget,
  createWriteWatch,
  emptinessOn,
  requireCurrent,
  statusOn,
} from './sql.ts';

/** Size of the page cache while filling an empty database, in KiB. */
const FILLING_CACHE_KIB = 65_536;

/** All writes of a batch are synced to disk once. */
function connect(path: string, { readOnly }: { readOnly: boolean }): ArchiveConnection {
  const connection = openConnection(path, { readOnly });
  const all = async <Row>(sql: string, params: readonly SqlValue[] = []) =>
    connection.search<Row>(sql, params, UNLIMITED);

  async function atomic<T>(work: () => Promise<T>): Promise<T> {
    connection.exec('begin immediate');
    try {
      const result = await work();
      connection.exec('commit');
      return result;
    } catch (error) {
      connection.exec('rollback');
      throw error;
    }
  }

  /**
   * No-op while other connections have the file open, which is harmless: filling is slower with a WAL, and the server
   * enables the WAL when it opens the file.
   */
  function preferJournal(mode: 'delete' | 'wal'): void {
    connection.exec('pragma busy_timeout = 0');
    try {
      connection.exec(`pragma journal_mode = ${mode}`);
    } catch {
      // The file is open elsewhere.
    } finally {
      connection.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  return {
    migrations: SQLITE_MIGRATIONS,
    criteria: SQLITE_CRITERIA,
    all,
    estimate: (kind) => countOf({ all }, kind),
    async run(sql, params = []) {
      connection.run(sql, params);
    },
    async columns(table) {
      const rows = connection.all<{ name: string }>('select name from pragma_table_info(?1)', [table]);
      return rows.map(({ name }) => name);
    },
    async insert({ name }, columns, rows: readonly ArchiveRow[]) {
      const marks = columns.map((_, i) => `?${i + 1}`).join(', ');
      const sql = `insert into ${name} (${columns.join(', ')}) values (${marks})`;
      for (const row of rows) {
        connection.run(
          sql,
          columns.map((column) => row[column] ?? null),
        );
      }
    },
    atomic,
    async filling(work) {
      // Every read would search a WAL of gigabytes. A rollback journal stores only the pages that existed before.
      preferJournal('delete');
      connection.exec(`pragma cache_size = ${-FILLING_CACHE_KIB}`);
      try {
        return await atomic(work);
      } finally {
        preferJournal('wal');
      }
    },
    async close() {
      connection.close();
    },
  };
}

const missing = (path: string) => new AppError('storage.unavailable', { detail: `there is no file ${path}` });

/** Archive of a SQLite file, which may be in use. */
export function createSqliteArchive({ path, logger }: { readonly path: string; readonly logger: Logger }): Archive {
  async function source() {
    if (!existsSync(path)) throw missing(path);
    const connection = connect(path, { readOnly: true });
    await connection.run('begin');
    await requireCurrent(connection); // the first read starts the snapshot
    return createSource(connection);
  }

  async function migrate(): Promise<void> {
    const { createSqliteStorage } = await import('../sqlite/index.ts'); // loaded for migrations only
    const storage = createSqliteStorage({ path, logger });
    await storage.migrate({ evenUnfinished: true }).finally(() => storage.close());
  }

  return {
    status: async () =>
      existsSync(path) ? statusOn(connect(path, { readOnly: true })) : statusOf(SQLITE_MIGRATIONS, 0),
    migrate,
    isEmpty: () => emptinessOn(connect(path, { readOnly: true })),
    async isInUse() {
      if (!existsSync(path)) return false;
      const connection = openConnection(path, { readOnly: false });
      try {
        // SQLite leaves the WAL only for the last connection of all processes. Locks of killed processes are released.
        connection.exec('pragma busy_timeout = 0; pragma journal_mode = delete; pragma journal_mode = wal');
        return false;
      } catch (error) {
        if (isBusy(error)) return true;
        throw error;
      } finally {
        connection.close();
      }
    },
    source,
    async watchWrites() {
      if (!existsSync(path)) throw missing(path);
      return createWriteWatch(connect(path, { readOnly: true }), 'select data_version as n from pragma_data_version');
    },
    async target() {
      await migrate();
      return createTarget(connect(path, { readOnly: false }), source);
    },
  };
}
