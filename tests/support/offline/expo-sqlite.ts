import { DatabaseSync } from 'node:sqlite';
import type { ExpoDatabase, ExpoStatements } from '@baobab/client/expo';

export interface ExpoModuleOptions {
  /** Folder of the databases. */
  readonly folder: string;
  /** Maximum size of a database, in pages of 4,096 bytes. */
  readonly maxPages?: number;
}

/** Lets other calls run between any two statements, as calls of a native module do. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A connection: the methods of `expo-sqlite` that run on it, one native call at a time. */
function connect(path: string, maxPages: number | undefined) {
  // The native modules set no timeout: a locked database fails immediately.
  const database = new DatabaseSync(path, { timeout: 0 });
  if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`);

  async function native<T>(call: () => T): Promise<T> {
    await turn();
    try {
      return call();
    } catch (error) {
      // The modules pass on SQLite's message in one of theirs.
      throw new Error(`Calling the native function has failed: Error code : ${(error as Error).message}`);
    } finally {
      await turn();
    }
  }

  return {
    execAsync: (source: string) => native(() => database.exec(source)),
    getAllAsync: <Row>(source: string, params: string[]) =>
      native(() => database.prepare(source).all(...params) as Row[]),
    runAsync: (source: string, params: string[]) => native(() => database.prepare(source).run(...params)),
    closeAsync: () => native(() => database.close()),
  } satisfies ExpoStatements & Record<string, unknown>;
}

/** `expo-sqlite` on Node's SQLite, with the transactions of the original: a new connection, `BEGIN` and its rollback. */
export function createExpoSqlite({ folder, maxPages }: ExpoModuleOptions) {
  return {
    async openDatabaseAsync(name: string): Promise<ExpoDatabase> {
      const path = `${folder}/${name}`;
      return {
        ...connect(path, maxPages),
        async withExclusiveTransactionAsync(task) {
          const transaction = connect(path, maxPages);
          try {
            await transaction.execAsync('BEGIN');
            await task(transaction);
            await transaction.execAsync('COMMIT');
          } catch (error) {
            await transaction.execAsync('ROLLBACK');
            throw error;
          } finally {
            await transaction.closeAsync();
          }
        },
      };
    },
  };
}
