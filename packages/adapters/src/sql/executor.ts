import type { CriteriaDialect } from './criteria/dialect.ts';

export type SqlValue = string | number | null;

/** Where reading rows one by one ends. */
export interface ReadBound {
  /** Behind the row with which the heavy columns have more bytes, unless it is the first. */
  readonly maxBytes: number;
  /** Names of columns of texts. */
  readonly heavy: readonly string[];
}

/**
 * Runs statements of the SQL that SQLite and Postgres share. Parameters are `?1`, `?2`, … and may stand more than
 * once. Statement texts are constants: drivers keep what they prepared by them.
 */
export interface SqlExecutor {
  /** Rows of a statement that changes nothing; with a bound, which only local databases know, the first of them. */
  read<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound): Promise<Row[]>;
  /** The row that a key leads to. It takes next to no time, so that many may share the way to the database. */
  readOne<Row>(sql: string, params: readonly SqlValue[]): Promise<Row | null>;
  /** The number `n` that a statement counts; it may take as long as it likes. */
  count(sql: string, params: readonly SqlValue[]): Promise<number>;
  /** As `read`, for texts of which there are any number: few of them are kept prepared. */
  search<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound): Promise<Row[]>;
  /** Rows that a changing statement returns. Durable when it resolves, or with its transaction. */
  write<Row>(sql: string, params: readonly SqlValue[]): Promise<Row[]>;
  /** How many rows a changing statement touched. */
  change(sql: string, params: readonly SqlValue[]): Promise<number>;
  /** Several statements together or not at all: those of the surrounding transaction, or one of their own. */
  atomic<T>(work: (executor: SqlExecutor) => Promise<T>): Promise<T>;
  /** Whether the database is in this process: a read costs microseconds, not a round trip. */
  readonly isLocal: boolean;
  /** A number that is another after any commit of anybody's; null where that cannot be told for next to nothing. */
  version(): number | null;
  /** How this database sees JSON. */
  readonly criteria: CriteriaDialect;
  /** Whether transactions that write run one after the other, so that no row has to be locked. */
  readonly takesTurns: boolean;
  /** Whether an error says that a row points to nothing. */
  isForeignKeyViolation(error: unknown): boolean;
  /** Whether an error says that a row is there already. */
  isUniqueViolation(error: unknown): boolean;
}
