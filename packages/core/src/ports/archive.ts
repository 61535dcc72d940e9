/** A row as it is stored, by the names of its columns: the same whatever database it comes from. */
export type ArchiveRow = Readonly<Record<string, string | number | null>>;

/** Rows of one kind, by the columns that tell them apart and order them. */
export interface ArchiveKind {
  readonly name: string;
  readonly key: readonly string[];
}

/** All that is kept, as it was at one moment, whatever is written meanwhile. */
export interface ArchiveSource {
  /** In the order in which they can be put back: nothing points to what comes later. */
  readonly kinds: readonly ArchiveKind[];
  count(kind: ArchiveKind): Promise<number>;
  /** About how many there are, for those who wait: without counting where that would be work. */
  estimate(kind: ArchiveKind): Promise<number>;
  /**
   * In batches, by ascending key from behind `after`; null from the beginning. A batch comes to about `size` characters:
   * what is smaller keeps the database busy for a shorter time at once. @throws `storage.unavailable`
   */
  read(kind: ArchiveKind, after: ArchiveRow | null, size?: number): AsyncIterable<readonly ArchiveRow[]>;
  /** Lets go of the moment. */
  close(): Promise<void>;
}

/** Where all that is kept is put. It has the current schema. */
export interface ArchiveTarget {
  readonly kinds: readonly ArchiveKind[];
  /** Whether nothing is kept but what a first start makes: the administrator. */
  isEmpty(): Promise<boolean>;
  /** What `begin` was called with, when a transfer has begun and not ended; null otherwise. */
  unfinished(): Promise<string | null>;
  /**
   * Removes what a first start has made, and marks that a transfer is under way: until `finish` no service starts
   * on it.
   */
  begin(source: string): Promise<void>;
  /** Puts rows in, durably when it resolves. */
  write(kind: ArchiveKind, rows: readonly ArchiveRow[]): Promise<void>;
  count(kind: ArchiveKind): Promise<number>;
  /** The greatest key: of its row, at least the columns of the key; null when there is none. */
  last(kind: ArchiveKind): Promise<ArchiveRow | null>;
  /** The transfer has ended. */
  finish(): Promise<void>;
  /** Puts everything in, together or not at all; what a first start has made is removed with it. */
  fill(work: (write: ArchiveTarget['write']) => Promise<void>): Promise<void>;
  /** As a source: to see what has been written. */
  source(): Promise<ArchiveSource>;
  close(): Promise<void>;
}

/** How the schema of a database stands to this program. Its versions count the migrations that it has had. */
export interface SchemaStatus {
  /**
   * `behind`: migrations are to come. `compatible`: the database is newer than this program, which can work with it all
   * the same. `incompatible`: it cannot.
   */
  readonly state: 'current' | 'behind' | 'compatible' | 'incompatible';
  /** The version that the database has; 0 for none. */
  readonly current: number;
  /** The version that this program knows. */
  readonly needed: number;
  /** Programs that know at least this version can work with the database as it is. */
  readonly compatibleFrom: number;
  /** The migrations to come, the next first. */
  readonly pending: readonly string[];
  /** As `compatibleFrom`, when they have been made. */
  readonly compatibleAfter: number;
}

/** A database as something to copy from and to. Copies are made only by a program that knows its very version. */
export interface Archive {
  /** Looks, and changes nothing. @throws `storage.unavailable` */
  status(): Promise<SchemaStatus>;
  /** Brings the schema up to date. @throws as `Storage.migrate` */
  migrate(): Promise<void>;
  /** @throws `ArchiveError` where the schema is not the one that this program knows, `storage.unavailable` */
  source(): Promise<ArchiveSource>;
  /** Brings the schema up to date. @throws as `source` and `Storage.migrate` */
  target(): Promise<ArchiveTarget>;
}
