import type { SummaryRequest } from './summary.ts';
import type { Condition, ListPosition, OrderKey, SortValue } from './syntax.ts';

/** The rows of a list or a summary that match a filter, from one number on. */
interface RowRange {
  /** Null for all. */
  readonly where: Condition | null;
  /** Number of those rows to skip. */
  readonly skip: number;
  readonly limit: number;
  /**
   * Limit for the texts of unlimited length in all rows together, in bytes of UTF-8: the content of documents, attached
   * data of files, meta of assets, sections of users, and all texts of a summary. The list ends with the row that
   * exceeds it, which is included, and has at least two rows if there are as many. Absent: no limit.
   */
  readonly maxBytes?: number;
}

/** A page of a list. */
export interface ListPage extends RowRange {
  /** Ties are broken by ascending id. Empty: ordered by id alone. */
  readonly order: readonly OrderKey[];
  /**
   * Returns only rows after this position in that order; null from the beginning. Made by `sortValues` for documents,
   * `userSortValues` for users, and `storedSortValues` for files and assets.
   */
  readonly after: ListPosition | null;
}

/**
 * A page of groups and aggregates: one row for each combination of the values at `groupBy`, or a single row if it is
 * empty. Ties are broken by all group values.
 */
export interface SummaryPage extends SummaryRequest, RowRange {}

/** Values at `groupBy`, then the aggregates, in request order. */
export type SummaryRow = readonly Exclude<SortValue, object>[];
