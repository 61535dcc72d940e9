/**
 * The blob store: the bytes of files, of assets, and of their image variants.
 *
 * A key is `<area>/<owner>/<name>`: the kind of thing that the bytes belong to, the id of that thing, and which of its
 * bytes they are. All three are made by the service (`blobKey`), never taken from a request. The blobs of one owner are
 * a *group*, which is removed as a whole:
 *
 * - `files/<id of the file>/original`, and beside it `files/<id of the file>/<variant>`
 * - `assets/<id of the asset>/original`, and beside it `assets/<id of the asset>/<variant>`
 *
 * The row that refers to a blob is written after the blob and removed before it. A blob without a row is an orphan;
 * housekeeping removes it once it is old enough.
 */
export interface Blobs {
  /**
   * Stores `bytes` under `key`. Atomic: when this resolves the blob is complete and durable, and it is invisible before;
   * when it rejects nothing has changed. An earlier blob under the key is replaced; readers that have opened the earlier
   * one can read it to its end. `bytes` is read no faster than it can be written, with bounded memory, and is ended
   * (`return`) when writing fails. A chunk is not used after the next one has been requested.
   *
   * @throws the errors of `bytes`, unchanged; `blobs.unavailable` when the blob cannot be written
   */
  put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<StoredBlob>;
  /**
   * The blob, or the part of it that `range` names; null when there is none. A range beyond the end is cut to the end.
   * Callers that do not read `bytes` to the end must call `dispose`. If the blob is removed or replaced meanwhile,
   * `bytes` either delivers all of the old blob or throws: it never ends early without an error.
   *
   * @throws `blobs.unavailable`, also while `bytes` is read
   */
  get(key: BlobKey, range?: ByteRange): Promise<BlobContent | null>;
  /** Null when there is none. @throws `blobs.unavailable` */
  stat(key: BlobKey): Promise<BlobInfo | null>;
  /** Resolves to whether there was such a blob. @throws `blobs.unavailable` */
  remove(key: BlobKey): Promise<boolean>;
  /** Removes every blob of `<area>/<owner>`. Resolves to the number removed. @throws `blobs.unavailable` */
  removeGroup(group: BlobGroup): Promise<number>;
  /**
   * Examines up to `limit` blobs from `cursor` on, in an order of the adapter's choice, and returns those that were
   * stored before `olderThan`: a page may hold few or none though more follow. A blob that exists during the whole walk is
   * returned exactly once.
   *
   * @throws `blobs.unavailable`
   */
  list(options: BlobListOptions): Promise<BlobPage>;
  /**
   * Removes the remains of `put` calls that began before `olderThan` and whose process died. Calls in progress that
   * began earlier may be removed too. Resolves to the number removed. @throws `blobs.unavailable`
   */
  removeUnfinished(olderThan: number): Promise<number>;
  /** @throws `blobs.unavailable` when it cannot serve at present, `blobs.misconfigured` when the configuration is wrong */
  health(): Promise<void>;
  /** Closes the store; afterwards every call throws `blobs.unavailable`. */
  close(): Promise<void>;
}

/** `<area>/<owner>/<name>`, see `blobKey`. */
export type BlobKey = string;
/** `<area>/<owner>`, see `blobGroup`. */
export type BlobGroup = string;

export interface StoredBlob {
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the bytes, 64 hexadecimal digits in lower case. */
  readonly sha256: string;
}

export interface BlobInfo {
  /** Bytes. */
  readonly size: number;
  /** Time at which it was stored, by the clock of the store; milliseconds, which the store may round down to seconds. */
  readonly created: number;
}

/** `length` bytes from `offset` on, both non-negative integers. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

export interface BlobContent {
  /** Bytes of the whole blob, even if only a part was requested. */
  readonly size: number;
  /** To be read once. A chunk is valid until the next one is requested. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Releases what reading holds (a file, a connection); safe to call again. */
  dispose(): void;
}

export interface BlobListOptions {
  /** Milliseconds. */
  readonly olderThan: number;
  /** The cursor of an earlier page; null from the beginning. */
  readonly cursor: string | null;
  /** At least 1. */
  readonly limit: number;
}

export interface BlobPage {
  readonly keys: readonly BlobKey[];
  /** Where the next page begins; null at the end. */
  readonly cursor: string | null;
}
