/**
 * Stores the bytes of files, of assets, and of their image variants.
 *
 * A key is `<area>/<owner>/<name>`: the kind of resource, its id, and the blob's name within it. The server creates all
 * three (`blobKey`); they are never taken from a request. The blobs of one owner are a *group*, which is removed as a
 * whole:
 *
 * - `files/<id of the file>/original`, and its variants `files/<id of the file>/<variant>`
 * - `assets/<id of the asset>/original`, and its variants `assets/<id of the asset>/<variant>`
 *
 * The row that refers to a blob is written after the blob and removed before it. A blob without a row is an orphan.
 * Housekeeping removes it once it is old enough.
 */
export interface Blobs {
  /**
   * Stores `bytes` under `key`. Atomic: the blob is invisible until this resolves, and then complete and durable. If it
   * rejects, nothing has changed. An earlier blob under the key is replaced; readers that have opened it can read it to
   * its end. `bytes` is read only as fast as it can be written, with bounded memory, and is ended (`return`) if writing
   * fails. A chunk is not used after the next one has been requested.
   *
   * @throws the errors of `bytes`, unchanged; `blobs.unavailable` if the blob cannot be written
   */
  put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<StoredBlob>;
  /**
   * Opens a blob, or the part of it in `range`; null if there is none. A range beyond the end is cut off at the end.
   * Callers that do not read `bytes` to the end must call `dispose`. If the blob is removed or replaced meanwhile,
   * `bytes` either delivers all of the old blob or throws. It never ends early without an error.
   *
   * @throws `blobs.unavailable`, also while `bytes` is read
   */
  get(key: BlobKey, range?: ByteRange): Promise<BlobContent | null>;
  /** Returns information about a blob; null if there is none. @throws `blobs.unavailable` */
  stat(key: BlobKey): Promise<BlobInfo | null>;
  /** Resolves to true if the blob existed. @throws `blobs.unavailable` */
  remove(key: BlobKey): Promise<boolean>;
  /** Removes every blob of `<area>/<owner>`. Resolves to the number removed. @throws `blobs.unavailable` */
  removeGroup(group: BlobGroup): Promise<number>;
  /**
   * Examines up to `limit` blobs from `cursor` on, in an order chosen by the adapter, and returns those stored before
   * `olderThan`. A page may contain few or none even if more follow. A blob that exists during the whole walk is
   * returned exactly once.
   *
   * @throws `blobs.unavailable`
   */
  list(options: BlobListOptions): Promise<BlobPage>;
  /**
   * Removes what `put` calls left behind that began before `olderThan` and whose process crashed. May also remove calls
   * in progress that began earlier. Resolves to the number removed. @throws `blobs.unavailable`
   */
  removeUnfinished(olderThan: number): Promise<number>;
  /**
   * @throws `blobs.unavailable` if the store cannot serve at present, `blobs.misconfigured` if the configuration is
   * wrong
   */
  health(): Promise<void>;
  /** Closes the store; afterwards every call throws `blobs.unavailable`. */
  close(): Promise<void>;
}

/** `<area>/<owner>/<name>`, see `blobKey`. */
export type BlobKey = string;
/** `<area>/<owner>`, see `blobGroup`. */
export type BlobGroup = string;

export interface StoredBlob {
  /** In bytes. */
  readonly size: number;
  /** SHA-256 of the bytes, 64 hexadecimal digits in lower case. */
  readonly sha256: string;
}

export interface BlobInfo {
  /** In bytes. */
  readonly size: number;
  /** Time of storing, by the clock of the store. In milliseconds, which the store may round down to seconds. */
  readonly created: number;
}

/** A range of `length` bytes from `offset`, both non-negative integers. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

export interface BlobContent {
  /** Size of the whole blob, in bytes, even if only a part was requested. */
  readonly size: number;
  /** Readable once. A chunk is valid until the next one is requested. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Releases the file or connection. Safe to call again. */
  dispose(): void;
}

export interface BlobListOptions {
  /** In milliseconds. */
  readonly olderThan: number;
  /** Cursor of an earlier page; null from the beginning. */
  readonly cursor: string | null;
  /** At least 1. */
  readonly limit: number;
}

export interface BlobPage {
  readonly keys: readonly BlobKey[];
  /** Cursor of the next page; null at the end. */
  readonly cursor: string | null;
}
