import type { SqlExecutor, StatementWatch } from '../sql/statements/executor.ts';
import { textOf } from '../sql/statements/statement.ts';
import { type Connection, openConnection } from './database.ts';

interface SnapshotOptions {
  readonly executor: SqlExecutor;
  readonly watch: StatementWatch;
  /** See `ConnectionOptions`. */
  readonly cacheBytes?: number;
}

/** Runs several reads on one snapshot, on a separate connection that is opened on first use. */
export function createSnapshots(path: string, { executor, ...options }: SnapshotOptions) {
  let opened: Connection | null = null;
  /** Resolves after the end of all snapshots that have begun. */
  let last: Promise<unknown> = Promise.resolve();

  async function run<T>(work: (executor: SqlExecutor) => Promise<T>): Promise<T> {
    opened ??= openConnection(path, { readOnly: true, ...options });
    const connection = opened;
    connection.exec('begin');
    try {
      return await work({
        ...executor,
        read: async (sql, params, bound) => connection.all(textOf(sql), params, bound),
        readOne: async (sql, params) => connection.get(textOf(sql), params),
      });
    } finally {
      connection.exec('commit');
    }
  }

  return {
    /** Snapshots are sequential. */
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
