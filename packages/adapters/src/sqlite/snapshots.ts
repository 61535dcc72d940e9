import type { SqlExecutor } from '../sql/executor.ts';
import type { StatementWatch } from '../sql/slow-statements.ts';
import { type Connection, openConnection } from './database.ts';

/** Reads several statements as of one moment, on a connection of its own, which is opened on first use. */
export function createSnapshots(path: string, { watch, executor }: { watch: StatementWatch; executor: SqlExecutor }) {
  let opened: Connection | null = null;
  /** Resolves when the snapshots begun so far have ended. */
  let last: Promise<unknown> = Promise.resolve();

  async function run<T>(work: (executor: SqlExecutor) => Promise<T>): Promise<T> {
    opened ??= openConnection(path, { readOnly: true, watch });
    const connection = opened;
    connection.exec('begin');
    try {
      return await work({
        ...executor,
        read: async (sql, params, bound) => connection.all(sql, params, bound),
        readOne: async (sql, params) => connection.get(sql, params),
        count: async (sql, params) => connection.get<{ n: number }>(sql, params)?.n ?? 0,
      });
    } finally {
      connection.exec('commit');
    }
  }

  return {
    /** Snapshots follow one another. */
    snapshot<T>(work: (executor: SqlExecutor) => Promise<T>): Promise<T> {
      const result = last.then(() => run(work));
      last = result.catch(() => undefined);
      return result;
    },
    async close(): Promise<void> {
      await last;
      opened?.close();
    },
  };
}
