import type { CriteriaDialect } from './criteria/dialect.ts';

export type SqlValue = string | number | null;

/** When reading row by row stops. */
export interface ReadBound {
  /** After the row with which the heavy columns exceed this many bytes, unless it is the first. */
  readonly maxBytes: number;
  /** Names of text columns. */
  readonly heavy: readonly string[];
}

/**
 * Runs statements in the SQL that SQLite and Postgres share. Parameters are `?1`, `?2`, … and may occur more than once.
 * Statement texts are constants: drivers cache prepared statements by them.
 */
export interface SqlExecutor {
  /** Rows of a statement that changes nothing. With a bound, which only local databases support, the first of them. */
  read<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound): Promise<Row[]>;
  /** A row by its key; null when there is none. Such statements are so short that many may share a connection. */
  readOne<Row>(sql: string, params: readonly SqlValue[]): Promise<Row | null>;
  /** The number `n` that a statement counts; it may take long. */
  count(sql: string, params: readonly SqlValue[]): Promise<number>;
  /** Like `read`, for texts of unlimited variety: only a few of them are kept prepared. */
  search<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound): Promise<Row[]>;
  /** The rows that a writing statement returns. Durable when it resolves, or with its transaction. */
  write<Row>(sql: string, params: readonly SqlValue[]): Promise<Row[]>;
  /** How many rows a writing statement changed. */
  change(sql: string, params: readonly SqlValue[]): Promise<number>;
  /** Runs several statements atomically: in the surrounding transaction, or in one of their own. */
  atomic<T>(work: (executor: SqlExecutor) => Promise<T>): Promise<T>;
  /**
   * Runs several reads that see the same state of the database; inside a transaction, what that transaction sees.
   */
  snapshot<T>(work: (executor: SqlExecutor) => Promise<T>): Promise<T>;
  /**
   * Lets a server reclaim the removed rows of a table now instead of in a minute or two. Does nothing on a local database
   * and inside a transaction.
   */
  vacuum(table: string): Promise<void>;
  /** Whether the database is in this process: a read costs microseconds instead of a round trip. */
  readonly isLocal: boolean;
  /** A number that changes with every commit, of any process; null where it is not available at negligible cost. */
  version(): number | null;
  /** The JSON dialect of this database. */
  readonly criteria: CriteriaDialect;
  /** Whether writing transactions run one after the other, so that no row has to be locked. */
  readonly takesTurns: boolean;
  /** Whether an error is a violation of a foreign key: the referenced row does not exist. */
  isForeignKeyViolation(error: unknown): boolean;
  /** Whether an error is a violation of uniqueness: the row exists already. */
  isUniqueViolation(error: unknown): boolean;
}
