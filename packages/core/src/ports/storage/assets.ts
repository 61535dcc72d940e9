import type { ListPage, SummaryPage, SummaryRow } from '../../criteria/pages.ts';
import type { Condition } from '../../criteria/syntax.ts';

/** Description of a stored file. */
export interface StoredFile {
  /** As sent by the client. */
  readonly fileName: string;
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
  /** SHA-256 of the bytes: 64 hexadecimal digits in lower case. */
  readonly sha256: string;
}

export interface AssetRecord {
  /** UUID, time-ordered. */
  readonly id: string;
  readonly name: string;
  /** Name of the author; null if that user has been removed. */
  readonly author: string | null;
  /** In milliseconds. */
  readonly created: number;
  /** JSON text, stored and returned character for character. */
  readonly meta: string;
  /** Null for an asset that has only meta. */
  readonly file: StoredFile | null;
}

export interface NewAsset extends Omit<AssetRecord, 'author'> {
  readonly authorId: string;
}

/** Assets are identified by name (case-sensitive). They remain when their authors are removed. */
export interface AssetStore {
  /**
   * Resolves to false if the name is taken. Of concurrent calls with one name exactly one resolves to true.
   *
   * @throws `user.not_found` if there is no such author
   */
  add(asset: NewAsset): Promise<boolean>;
  find(name: string): Promise<AssetRecord | null>;
  /** Returns those of these ids that belong to assets, in no particular order. At most 1,000 ids per call. */
  existing(ids: readonly string[]): Promise<string[]>;
  /** Returns the assets that match the filter, in this order. */
  list(list: ListPage): Promise<AssetRecord[]>;
  /** Returns the number of assets that match the filter; null for all. */
  count(where: Condition | null): Promise<number>;
  summarize(summary: SummaryPage): Promise<SummaryRow[]>;
  /** Resolves to the id of the removed asset; null if there was none. */
  remove(name: string): Promise<string | null>;
}
