import type { CriteriaDialect } from './criteria/dialect.ts';

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
  read<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound): Promise<Row[]>;
  /** Returns a row by its key, or null. Such statements are so short that many may share a connection. */
  readOne<Row>(sql: string, params: readonly SqlValue[]): Promise<Row | null>;
  /** Returns the number `n` that a statement counts. May take long. */
  count(sql: string, params: readonly SqlValue[]): Promise<number>;
  /** Like `read`, for texts of unlimited variety. Only a few of them remain prepared. */
  search<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound): Promise<Row[]>;
  /** Returns the rows of a writing statement. Durable when it resolves, or with its transaction. */
  write<Row>(sql: string, params: readonly SqlValue[]): Promise<Row[]>;
  /** Returns the number of rows that a writing statement changed. */
  change(sql: string, params: readonly SqlValue[]): Promise<number>;
  /** Runs several statements atomically, in the surrounding transaction or a new one. */
  atomic<T>(work: (executor: SqlExecutor) => Promise<T>): Promise<T>;
  /** Runs several reads on the same state of the database. Inside a transaction, they see its state. */
  snapshot<T>(work: (executor: SqlExecutor) => Promise<T>): Promise<T>;
  /**
   * Reclaims the removed rows of a table now, instead of after a minute or two. No-op on a local database and inside
   * a transaction.
   */
  vacuum(table: string): Promise<void>;
  /** True if the database is in this process: a read costs microseconds instead of a round trip. */
  readonly isLocal: boolean;
  /** Returns a number that changes with every commit by any process. Null if it is not available at negligible cost. */
  version(): number | null;
  /** JSON dialect of this database. */
  readonly criteria: CriteriaDialect;
  /** True if writing transactions run sequentially, so that rows need no locks. */
  readonly takesTurns: boolean;
  /** Returns true for a foreign key violation: the referenced row does not exist. */
  isForeignKeyViolation(error: unknown): boolean;
  /** Returns true for a uniqueness violation: the row already exists. */
  isUniqueViolation(error: unknown): boolean;
}
