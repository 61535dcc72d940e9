/** A stored row, by the names of its columns: the same for every database. */
export type ArchiveRow = Readonly<Record<string, string | number | null>>;

/** A kind of row (a table), with the columns of its key, which also order the rows. */
export interface ArchiveKind {
  readonly name: string;
  readonly key: readonly string[];
}

/** A snapshot of everything that is stored, unaffected by later writes. */
export interface ArchiveSource {
  /** In the order in which they can be restored: no row refers to a row of a later kind. */
  readonly kinds: readonly ArchiveKind[];
  count(kind: ArchiveKind): Promise<number>;
  /** The approximate number of rows, for progress reports: no count where counting would be slow. */
  estimate(kind: ArchiveKind): Promise<number>;
  /**
   * Rows in batches, by ascending key after `after` (null: from the beginning). A batch has about `size` characters:
   * smaller batches keep the database busy for a shorter time each. @throws `storage.unavailable`
   */
  read(kind: ArchiveKind, after: ArchiveRow | null, size?: number): AsyncIterable<readonly ArchiveRow[]>;
  /** Releases the snapshot. */
  close(): Promise<void>;
}

/** The database into which a restore or transfer writes. It has the current schema. */
export interface ArchiveTarget {
  readonly kinds: readonly ArchiveKind[];
  /** Whether it holds nothing except what a first start creates: the administrator. */
  isEmpty(): Promise<boolean>;
  /** The argument of `begin`, when a transfer has begun and not finished; null otherwise. */
  unfinished(): Promise<string | null>;
  /**
   * Removes what a first start has created, and marks that a transfer is in progress: until `finish` no service starts
   * on the database.
   */
  begin(source: string): Promise<void>;
  /** Writes rows, durably when it resolves. */
  write(kind: ArchiveKind, rows: readonly ArchiveRow[]): Promise<void>;
  count(kind: ArchiveKind): Promise<number>;
  /** The row with the greatest key (at least its key columns); null when there is none. */
  last(kind: ArchiveKind): Promise<ArchiveRow | null>;
  /** Marks the transfer as finished. */
  finish(): Promise<void>;
  /** Writes everything in one transaction, and removes what a first start has created. */
  fill(work: (write: ArchiveTarget['write']) => Promise<void>): Promise<void>;
  /** The database as a source, to read what has been written. */
  source(): Promise<ArchiveSource>;
  close(): Promise<void>;
}

/** The schema of a database compared with this program. A version is the number of migrations applied. */
export interface SchemaStatus {
  /** `behind`: migrations are pending. `ahead`: the database is newer than this program, which cannot use it. */
  readonly state: 'current' | 'behind' | 'ahead';
  /** The version of the database; 0 for an empty one. */
  readonly current: number;
  /** The version that this program needs. */
  readonly needed: number;
  /** The pending migrations, the next first. */
  readonly pending: readonly string[];
}

/** Notices that others write to a database. */
export interface WriteWatch {
  /**
   * Whether somebody has committed a write since the last call, or since the watch was opened. May also be true when
   * only another database of the same server was written to. @throws `storage.unavailable`
   */
  hasWritten(): Promise<boolean>;
  close(): Promise<void>;
}

/** A database that can be copied from and to. A program copies only databases of exactly its own schema version. */
export interface Archive {
  /** Reads the status and changes nothing. @throws `storage.unavailable` */
  status(): Promise<SchemaStatus>;
  /** Migrates the schema to the current version. @throws as `Storage.migrate` */
  migrate(): Promise<void>;
  /** @throws `ArchiveError` when the schema version is not the one of this program, `storage.unavailable` */
  source(): Promise<ArchiveSource>;
  /** Begins to watch for writes, on a connection of its own. @throws `storage.unavailable` */
  watchWrites(): Promise<WriteWatch>;
  /** Migrates the schema to the current version. @throws as `source` and `Storage.migrate` */
  target(): Promise<ArchiveTarget>;
}
