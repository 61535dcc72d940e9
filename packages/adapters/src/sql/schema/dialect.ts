/** Differences between the databases. */
export interface Dialect {
  /** The type of ids: 36 characters. */
  readonly uuid: string;
  /** The type of texts, compared and sorted by code point. */
  readonly text: string;
  /** The type of integers up to 2^53. */
  readonly integer: string;
  /** The index that finds a document whose collection is unknown, after `on documents`. */
  readonly byDocumentId: string;
  /** The index that gives the order of changes, after `on documents`. */
  readonly byPosition: string;
  /** An expression for 16 to 32 random letters and digits. */
  readonly randomText: string;
  /** Tables, functions and triggers that count documents. */
  readonly counters: readonly string[];
}

/** The names of the types, for tables that need nothing else. */
export type ColumnTypes = Pick<Dialect, 'uuid' | 'text' | 'integer'>;
