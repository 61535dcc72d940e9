/** Differences between the databases. */
export interface Dialect {
  /** Type of ids: 36 characters. */
  readonly uuid: string;
  /** Type of texts, compared and sorted by code point. */
  readonly text: string;
  /** Type of integers up to 2^53. */
  readonly integer: string;
  /** Index that finds a document in an unknown collection, after `on documents`. */
  readonly byDocumentId: string;
  /** Index with the order of changes, after `on documents`. */
  readonly byPosition: string;
  /** Expression for 16 to 32 random letters and digits. */
  readonly randomText: string;
  /** Tables, functions and triggers that count documents. */
  readonly counters: readonly string[];
  /** Tables, indexes and triggers that find documents by their words. */
  readonly words: readonly string[];
}

/** Names of the types, for tables that need nothing else. */
export type ColumnTypes = Pick<Dialect, 'uuid' | 'text' | 'integer'>;
