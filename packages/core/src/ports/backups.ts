/** Opens an archive from its beginning. Can be called repeatedly. */
export type OpenArchive = () => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;

/** A verified entry of an archive. */
export interface ReadEntry {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  text(): Promise<string>;
}

/** Archives of the whole database and its blobs, as `baobab backup` writes them. */
export interface BackupArchives {
  /** Yields the bytes of a new archive, and pauses while the database is busy. @throws `storage.*`, `blobs.*` */
  create(): AsyncIterable<Uint8Array>;
  /** Reads a whole archive and verifies its checksums. @throws `ArchiveError`, the errors of `open` */
  verify(open: OpenArchive): Promise<void>;
  /** Returns the entries of a verified archive. Read each to its end before the next. */
  read(open: OpenArchive): AsyncIterable<ReadEntry>;
  /** Returns true if the database contains only what the first start creates. @throws `storage.*` */
  isEmpty(): Promise<boolean>;
  /** Ends archives in progress with an error. */
  stop(): void;
}

/** Outcome of the last restore of a running server. */
export interface RestoreOutcome {
  /** In milliseconds. */
  readonly at: number;
  /** Null if it succeeded. */
  readonly error: string | null;
}

/** Restarts the server on the data of an archive. */
export interface Restarts {
  /** Outcome of the last restore; null without one. */
  readonly last: RestoreOutcome | null;
  /** Stops serving, restores the archive stored as this blob, removes the blob, and serves again. */
  restore(blob: string): void;
}
