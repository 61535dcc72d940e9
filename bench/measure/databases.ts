import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { startPostgres } from '../../tests/support/postgres-server.ts';

/** A temporary database for the benchmark. */
export interface Database {
  readonly name: string;
  /** The `DATABASE_URL`. */
  readonly url: string;
  readonly version: string;
  /** Process id of the database server; null if the database is embedded in Baobab. */
  readonly pid: number | null;
  /** Does the maintenance that a long-running database has already completed. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export async function startSqlite(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
  return {
    name: 'SQLite',
    url: `sqlite:${join(folder, 'bench.db')}`,
    version: `SQLite ${process.versions.sqlite ?? ''}`,
    pid: null,
    settle: async () => undefined,
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

export async function startDurablePostgres(): Promise<Database> {
  const server = await startPostgres({ durable: true });
  const run = async (statement: string) => {
    const sql = postgres(server.url, { max: 1 });
    try {
      return await sql.unsafe(statement);
    } finally {
      await sql.end();
    }
  };
  const [row] = await run('show server_version');
  return {
    name: 'Postgres',
    url: server.url,
    version: `Postgres ${row?.server_version}`,
    pid: server.pid(),
    settle: async () => {
      await run('vacuum analyze');
    },
    stop: () => server.stop(),
  };
}
