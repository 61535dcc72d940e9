/** A stored row by column name, identical for every database. */
export type ArchiveRow = Readonly<Record<string, string | number | null>>;

/** A table, with its key columns, which also order the rows. */
export interface ArchiveKind {
  readonly name: string;
  readonly key: readonly string[];
}

/** A snapshot of everything that is stored, unaffected by later writes. */
export interface ArchiveSource {
  /** In restore order: no row refers to a row of a later kind. */
  readonly kinds: readonly ArchiveKind[];
  count(kind: ArchiveKind): Promise<number>;
  /** Returns the approximate number of rows, for progress reports. Avoids a slow count. */
  estimate(kind: ArchiveKind): Promise<number>;
  /**
   * Yields rows in batches, by ascending key after `after` (null: from the beginning). A batch has about `size`
   * characters. Smaller batches keep the database busy for a shorter time each. @throws `storage.unavailable`
   */
  read(kind: ArchiveKind, after: ArchiveRow | null, size?: number): AsyncIterable<readonly ArchiveRow[]>;
  /** Releases the snapshot. */
  close(): Promise<void>;
}

/** The target database of a restore or transfer, with the current schema. */
export interface ArchiveTarget {
  readonly kinds: readonly ArchiveKind[];
  /** Returns true if the database contains only what the first start creates: the administrator. */
  isEmpty(): Promise<boolean>;
  /** Returns the argument of `begin` if a transfer has begun and not finished; otherwise null. */
  unfinished(): Promise<string | null>;
  /**
   * Removes what the first start has created, and marks a transfer as in progress. Until `finish`, no server starts on
   * the database.
   */
  begin(source: string): Promise<void>;
  /** Writes rows durably. */
  write(kind: ArchiveKind, rows: readonly ArchiveRow[]): Promise<void>;
  count(kind: ArchiveKind): Promise<number>;
  /** Returns the row with the greatest key (at least its key columns); null if there is none. */
  last(kind: ArchiveKind): Promise<ArchiveRow | null>;
  /** Marks the transfer as finished. */
  finish(): Promise<void>;
  /** Writes everything in one transaction, and removes what the first start has created. */
  fill(work: (write: ArchiveTarget['write']) => Promise<void>): Promise<void>;
  /** Opens the database as a source, to read what has been written. */
  source(): Promise<ArchiveSource>;
  close(): Promise<void>;
}

/** Schema of a database compared with this program. A version is the number of migrations applied. */
export interface SchemaStatus {
  /** `behind`: migrations are pending. `ahead`: the database is too new for this program. */
  readonly state: 'current' | 'behind' | 'ahead';
  /** Version of the database; 0 for an empty one. */
  readonly current: number;
  /** Version that this program needs. */
  readonly needed: number;
  /** Pending migrations, the next one first. */
  readonly pending: readonly string[];
}

/** Detects writes by other programs to a database. */
export interface WriteWatch {
  /**
   * Returns true if any write was committed since the last call, or since the watch was opened. May also be true if
   * only another database of the same server was written to. @throws `storage.unavailable`
   */
  hasWritten(): Promise<boolean>;
  close(): Promise<void>;
}

/** A database that can be copied from and to. A program only copies databases with its own schema version. */
export interface Archive {
  /** Reads the schema status without changing anything. @throws `storage.unavailable` */
  status(): Promise<SchemaStatus>;
  /** Migrates the schema to the current version. @throws as `Storage.migrate` */
  migrate(): Promise<void>;
  /** As `ArchiveTarget.isEmpty`, for a database with the current schema that may be in use. @throws `storage.unavailable` */
  isEmpty(): Promise<boolean>;
  /**
   * Returns true if a server uses the database. Its caches would not notice a restore. @throws `storage.unavailable`
   */
  isInUse(): Promise<boolean>;
  /** @throws `ArchiveError` if the schema version differs from this program's, `storage.unavailable` */
  source(): Promise<ArchiveSource>;
  /** Starts watching for writes, on a separate connection. @throws `storage.unavailable` */
  watchWrites(): Promise<WriteWatch>;
  /** Migrates the schema to the current version. @throws as `source` and `Storage.migrate` */
  target(): Promise<ArchiveTarget>;
}
