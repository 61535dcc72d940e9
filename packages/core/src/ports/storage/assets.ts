import type { SummaryRequest } from '../../criteria/summary.ts';
import type { Condition, ListPosition, OrderKey } from '../../criteria/syntax.ts';
import type { SummaryRow } from './documents.ts';

/** The description of the bytes of a stored file. */
export interface StoredFile {
  /** As the client sent it. */
  readonly fileName: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the bytes: 64 hexadecimal digits in lower case. */
  readonly sha256: string;
}

export interface AssetRecord {
  /** UUID, time-ordered. */
  readonly id: string;
  readonly name: string;
  /** Name of the user who made it; null when that user has been removed. */
  readonly author: string | null;
  /** Milliseconds. */
  readonly created: number;
  /** JSON text; stored and returned character for character. */
  readonly meta: string;
  /** Null for an asset that consists of its meta alone. */
  readonly file: StoredFile | null;
}

export interface NewAsset extends Omit<AssetRecord, 'author'> {
  readonly authorId: string;
}

export interface AssetList {
  /** Null for all. */
  readonly where: Condition | null;
  /** Ties are broken by ascending id; empty for the order of the ids alone. */
  readonly order: readonly OrderKey[];
  /** Only assets after this position in that order; null from the beginning. Made by `storedSortValues`. */
  readonly after: ListPosition | null;
  /** The number of those assets to skip. */
  readonly skip: number;
  readonly limit: number;
  /**
   * Limit in bytes for the meta of all rows together (as UTF-8): the list ends with the row that exceeds it, which
   * is included, but not before the second row. Absent: no limit.
   */
  readonly maxBytes?: number;
}

/** Groups and aggregates of assets: see `DocumentSummary`. */
export interface AssetSummary extends SummaryRequest {
  readonly where: Condition | null;
  readonly skip: number;
  readonly limit: number;
  /**
   * Limit in bytes for the texts of all rows together (as UTF-8): the list ends with the row that exceeds it, which
   * is included, but not before the second row. Absent: no limit.
   */
  readonly maxBytes?: number;
}

/** Assets are identified by their names, which are case-sensitive. They stay when their authors are removed. */
export interface AssetStore {
  /**
   * Resolves to false when the name is taken; of concurrent calls with one name exactly one resolves to true.
   *
   * @throws `user.not_found` when there is no such author
   */
  add(asset: NewAsset): Promise<boolean>;
  find(name: string): Promise<AssetRecord | null>;
  /** Those of these ids that belong to assets, in no particular order; at most 1,000 in one call. */
  existing(ids: readonly string[]): Promise<string[]>;
  /** The assets for which the condition holds, in this order. */
  list(list: AssetList): Promise<AssetRecord[]>;
  /** The number of assets for which the condition holds; null for all. */
  count(where: Condition | null): Promise<number>;
  summarize(summary: AssetSummary): Promise<SummaryRow[]>;
  /** Resolves to the id of the removed asset; null when there was none. */
  remove(name: string): Promise<string | null>;
}
