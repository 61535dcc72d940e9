import type { SummaryRequest } from '../../criteria/summary.ts';
import type { Condition, ListPosition, OrderKey } from '../../criteria/syntax.ts';
import type { SummaryRow } from './documents.ts';

/** What is known of the bytes of a stored file. */
export interface StoredFile {
  /** As it was sent. */
  readonly fileName: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** Of the bytes: 64 hexadecimal digits in lower case. */
  readonly sha256: string;
}

export interface AssetRecord {
  /** UUID, time-ordered. */
  readonly id: string;
  readonly name: string;
  /** User name of who made it; null when that user is gone. */
  readonly author: string | null;
  /** Milliseconds. */
  readonly created: number;
  /** JSON text; every character comes back as it was given. */
  readonly meta: string;
  /** Null for an asset that is but its meta. */
  readonly file: StoredFile | null;
}

export interface NewAsset extends Omit<AssetRecord, 'author'> {
  readonly authorId: string;
}

export interface AssetList {
  /** Null for all. */
  readonly where: Condition | null;
  /** What is alike in these comes by ascending id; empty for that alone. */
  readonly order: readonly OrderKey[];
  /** Only assets behind this position in that order; null from the beginning. Made by `storedSortValues`. */
  readonly after: ListPosition | null;
  /** How many of those to pass over. */
  readonly skip: number;
  readonly limit: number;
  /**
   * Bytes of the meta of rows (as UTF-8) behind which nothing more is read: the row with which they have more is the last
   * one, unless it is the first. Absent: any number.
   */
  readonly maxBytes?: number;
}

/** Assets taken together: see `DocumentSummary`. */
export interface AssetSummary extends SummaryRequest {
  readonly where: Condition | null;
  readonly skip: number;
  readonly limit: number;
  /**
   * Bytes of the texts of rows (as UTF-8) behind which nothing more is read: the row with which they have more is the last
   * one, unless it is the first. Absent: any number.
   */
  readonly maxBytes?: number;
}

/** Assets are known by their names, in which case makes a difference. They outlive who made them. */
export interface AssetStore {
  /**
   * Resolves to false when the name is taken; of concurrent calls with one name exactly one resolves to true.
   *
   * @throws `user.not_found` when there is no such author
   */
  add(asset: NewAsset): Promise<boolean>;
  find(name: string): Promise<AssetRecord | null>;
  /** Which of these ids are those of assets, in no particular order; at most 1,000 at once. */
  existing(ids: readonly string[]): Promise<string[]>;
  /** Those that the condition holds for, in this order. */
  list(list: AssetList): Promise<AssetRecord[]>;
  /** How many there are that the condition holds for; null for all. */
  count(where: Condition | null): Promise<number>;
  summarize(summary: AssetSummary): Promise<SummaryRow[]>;
  /** Resolves to the id of what was removed; null when there was none. */
  remove(name: string): Promise<string | null>;
}
