import { AppError, isAppError, type Logger } from '@baobab/core';
import type { CriteriaDialect } from '../criteria/dialect.ts';
import type { Sql } from './statement.ts';

export type SqlValue = string | number | null;

/** End of a row-by-row read. */
export interface ReadBound {
  /**
   * Maximum size of the heavy columns, in bytes. Reading stops after the row that exceeds it, unless it is the first.
   */
  readonly maxBytes: number;
  /** Names of text columns. */
  readonly heavy: readonly string[];
}

/**
 * Runs statements in the SQL that SQLite and Postgres share. Parameters are `?1`, `?2`, … and may occur more than
 * once. Statement texts are constants, since drivers cache prepared statements by text.
 */
export interface SqlExecutor {
  /**
   * Returns the rows of a statement that changes nothing. With a bound, which only local databases support, the first
   * ones.
   */
  read<Row>(sql: Sql, params: readonly SqlValue[], bound?: ReadBound): Promise<Row[]>;
  /** Returns a row by its key, or null. Such statements are so short that many may share a connection. */
  readOne<Row>(sql: Sql, params: readonly SqlValue[]): Promise<Row | null>;
  /** Like `read`, for texts of unlimited variety. Only a few of them remain prepared. */
  search<Row>(sql: Sql, params: readonly SqlValue[], bound?: ReadBound): Promise<Row[]>;
  /** Returns the rows of a writing statement. Durable when it resolves, or with its transaction. */
  write<Row>(sql: Sql, params: readonly SqlValue[]): Promise<Row[]>;
  /** Returns the number of rows that a writing statement changed. */
  change(sql: Sql, params: readonly SqlValue[]): Promise<number>;
  /** Runs several statements atomically, in the surrounding transaction or a new one. */
  atomic<T>(work: (executor: SqlExecutor) => Promise<T>): Promise<T>;
  /** Runs several reads on the same state of the database. Inside a transaction, they see its state. */
  snapshot<T>(work: (executor: SqlExecutor) => Promise<T>): Promise<T>;
  /**
   * True if the database is in this process: a read costs microseconds instead of a round trip, and writing
   * transactions run sequentially, so that rows need no locks.
   */
  readonly isLocal: boolean;
  /** Returns false if documents are on other nodes than the remaining rows, so that no statement can join both. */
  joinsDocuments(): boolean;
  /** JSON dialect of this database. */
  readonly criteria: CriteriaDialect;
  /** Returns true for a foreign key violation: the referenced row does not exist. */
  isForeignKeyViolation(error: unknown): boolean;
  /** Returns true for a uniqueness violation: the row already exists. */
  isUniqueViolation(error: unknown): boolean;
}

/** Wraps each statement of an executor. @param around receives a function that runs the statement */
export const aroundEach = (
  inner: SqlExecutor,
  around: <T>(run: () => Promise<T>, sql: Sql) => Promise<T>,
): Pick<SqlExecutor, 'read' | 'readOne' | 'search' | 'write' | 'change'> => ({
  read: <Row>(sql: Sql, params: readonly SqlValue[], bound?: ReadBound) =>
    around(() => inner.read<Row>(sql, params, bound), sql),
  readOne: <Row>(sql: Sql, params: readonly SqlValue[]) => around(() => inner.readOne<Row>(sql, params), sql),
  search: <Row>(sql: Sql, params: readonly SqlValue[], bound?: ReadBound) =>
    around(() => inner.search<Row>(sql, params, bound), sql),
  write: <Row>(sql: Sql, params: readonly SqlValue[]) => around(() => inner.write<Row>(sql, params), sql),
  change: (sql, params) => around(() => inner.change(sql, params), sql),
});

/**
 * Runs a query that may force indexes. SQLite refuses a statement with an index that was dropped since, or is not
 * built yet in a copied database. The query then runs without indexes.
 */
export async function withIndexes<Index, Answer>(
  { isLocal }: SqlExecutor,
  indexes: readonly Index[],
  query: (indexes: readonly Index[]) => Promise<Answer>,
): Promise<Answer> {
  if (!isLocal || indexes.length === 0) return query(indexes);
  try {
    return await query(indexes);
  } catch (error) {
    // Database errors have a cause. A search refused for its duration, or because too many wait, remains refused.
    if (isAppError(error) && error.cause === undefined) throw error;
    return query([]);
  }
}

/**
 * Enforces the port's rule on every database: after a failed statement, a transaction runs no further statements and
 * does not commit, even if the error was swallowed.
 */
export function createTransactionGuard(inner: SqlExecutor) {
  let failure: { readonly error: unknown } | null = null;

  /** Stores the first failure. */
  function harm(error: unknown): never {
    failure ??= { error };
    throw error;
  }

  function assertUnharmed(): void {
    if (failure === null) return;
    throw new AppError('storage.unavailable', {
      detail: 'an earlier statement of the transaction failed',
      cause: failure.error,
    });
  }

  const executor: SqlExecutor = {
    ...inner,
    ...aroundEach(inner, async (run) => {
      assertUnharmed();
      return run().catch(harm);
    }),
    atomic: (work) => work(executor),
    snapshot: (work) => work(executor),
  };

  return {
    executor,
    /** Call before the transaction commits. @throws `storage.unavailable` if a statement failed */
    assertUnharmed,
  };
}

const MAX_SHOWN = 2_000;

/** Called with the duration of every statement, in milliseconds. */
export type StatementWatch = (text: string, ms: number) => void;

/**
 * Logs slow statements. Their texts contain no values, which are parameters.
 *
 * @param limit duration from which a statement is logged, in milliseconds; 0 for never
 */
export function createSlowStatements(logger: Logger, limit: number): StatementWatch {
  const least = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  return (text, ms) => {
    if (ms < least) return;
    const statement = text.replace(/\s+/g, ' ').slice(0, MAX_SHOWN);
    logger.warn({ ms: Math.round(ms), statement }, 'slow statement');
  };
}
