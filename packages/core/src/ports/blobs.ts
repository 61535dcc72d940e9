/**
 * Where bytes are kept: files, assets and what is made of them.
 *
 * A key is `<area>/<owner>/<name>`: what kind of thing the bytes belong to, the id of that thing, and which bytes of it
 * they are. All three are made by the service (`blobKey`), never taken from a request. The blobs of one owner are a
 * *group*, which is removed as a whole:
 *
 * - `files/<id of the file>/original`, and beside it `files/<id of the file>/<variant>`
 * - `assets/<id of the asset>/original`, and beside it `assets/<id of the asset>/<variant>`
 *
 * The row that makes the bytes known is written after the blob and removed before it. What has no row is an orphan, and
 * swept once it is old enough.
 */
export interface Blobs {
  /**
   * Keeps `bytes` under `key`. All or nothing: the blob is there, whole and durable, when this resolves, and nobody sees
   * it before; when it rejects, nothing was changed. What was there under the key is replaced; who is reading that reads
   * it to its end. `bytes` is read no faster than it can be written, with a bounded amount of memory, and is ended
   * (`return`) when writing fails. A piece is only lent: nothing of it is used once the next has been asked for.
   *
   * @throws what `bytes` throws, as it is; `blobs.unavailable` when it cannot be written
   */
  put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<StoredBlob>;
  /**
   * The blob, or the part of it that `range` names; null when there is none. A range that leads beyond the end is cut to
   * what there is. Whoever does not read `bytes` to the end has to call `dispose`. A blob that is removed or replaced
   * meanwhile is read to its end, or `bytes` throws: it never ends early in silence.
   *
   * @throws `blobs.unavailable`, also while `bytes` is read
   */
  get(key: BlobKey, range?: ByteRange): Promise<BlobContent | null>;
  /** Null when there is none. @throws `blobs.unavailable` */
  stat(key: BlobKey): Promise<BlobInfo | null>;
  /** Resolves to whether there was one. @throws `blobs.unavailable` */
  remove(key: BlobKey): Promise<boolean>;
  /** Removes every blob of `<area>/<owner>`. Resolves to how many there were. @throws `blobs.unavailable` */
  removeGroup(group: BlobGroup): Promise<number>;
  /**
   * Looks at up to `limit` blobs from `cursor` on, in an order of the adapter's own, and tells those that were put before
   * `olderThan`: a page may hold few or none though there are more behind it. What is there during the whole walk is
   * told exactly once.
   *
   * @throws `blobs.unavailable`
   */
  list(options: BlobListOptions): Promise<BlobPage>;
  /**
   * Removes what is left of puts that began before `olderThan` and ended with their process. Puts under way that began
   * earlier may be removed too. Resolves to how many there were. @throws `blobs.unavailable`
   */
  removeUnfinished(olderThan: number): Promise<number>;
  /** @throws `blobs.unavailable` when it cannot serve for now, `blobs.misconfigured` when it never will like this */
  health(): Promise<void>;
  /** Lets go; afterwards every call throws `blobs.unavailable`. */
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
  /** When it was put, by the clock of the store; milliseconds, which the store may round down to seconds. */
  readonly created: number;
}

/** `length` bytes from `offset` on, both whole and not negative. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

export interface BlobContent {
  /** Bytes of the whole blob, whatever part was asked for. */
  readonly size: number;
  /** To be read once. A piece is lent until the next is asked for: by then its memory may hold something else, or nothing. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Lets go of what reading holds (a file, a connection); harmless afterwards. */
  dispose(): void;
}

export interface BlobListOptions {
  /** Milliseconds. */
  readonly olderThan: number;
  /** What an earlier page ended with; null from the beginning. */
  readonly cursor: string | null;
  /** At least 1. */
  readonly limit: number;
}

export interface BlobPage {
  readonly keys: readonly BlobKey[];
  /** Where the next page begins; null at the end. */
  readonly cursor: string | null;
}
