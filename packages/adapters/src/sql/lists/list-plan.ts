/*
 * Plans for lists. The first row that applies decides. `walk` is a statement of `document-list-statements.ts`. The
 * other plans of documents are those of `criteria/document-queries.ts`, those of users, files and assets are those of
 * `criteria/object-pages.ts`.
 *
 * | The list of documents                          | The caller                             | Plan                     |
 * | ---------------------------------------------- | -------------------------------------- | ------------------------ |
 * | no filter, in the order of creation            | without rules that depend on documents | `walk`                   |
 * | with a full-text search                        | may read at most `FEW`, without rules  | `accessPaths`            |
 * |                                                | any other                              | `search`                 |
 * | no index helps                                 | may read everything                    | `scan`                   |
 * | no index helps, in the order of creation       | has such rules and inherits many       | `window`, then           |
 * |                                                |                                        | `accessPaths` if the     |
 * |                                                |                                        | page is not full         |
 * | no index helps                                 | any other                              | `accessPaths`            |
 * | an index helps                                 | may read at most `FEW`, without rules  | `accessPaths`            |
 * |                                                | any other                              | by an index, see below   |
 *
 * | The list of users, files or assets             | Plan                    |
 * | ---------------------------------------------- | ----------------------- |
 * | at most `FEW` rows are visible and can match   | `within`                |
 * | no index helps                                 | `all`                   |
 * | an index helps                                 | by an index, see below  |
 *
 * | By an index                                                  | Plan                                           |
 * | ------------------------------------------------------------ | ---------------------------------------------- |
 * | an index has the order, none has a range                     | `scan`                                         |
 * | the narrowest range has the order                            | `scan`                                         |
 * | the narrowest range has another order, nothing has this one  | `ranges`                                       |
 * | the narrowest range has fewer than `MANY` rows               | `ranges`                                       |
 * | a wider range has the order                                  | `scan`                                         |
 * | all others                                                   | `window`, then `ranges` if the page is not full |
 *
 * Rows are counted up to a limit, not estimated: a range of an index may have three rows or all, and the caller may be
 * able to read ten documents or all. The plan affects the time only. Each statement decides what the caller sees.
 */

/** Maximum number of readable or matching rows that are all read, regardless of indexes. */
export const FEW = 1_000;
/** Number of rows in a range that are not read and sorted without first trying a window in the requested order. */
const MANY = 2_000;
/** Number of rows in a window. */
export const WINDOW = 2_000;
/** Maximum number of followed users whose first documents are all looked up without first trying a window. */
export const MANY_FOLLOWED = 1_000;
/** A limit greater than any table, which keeps the planner from merging a subquery into its parent. */
export const ALL_ROWS = 1_000_000_000;

/** Indexes that help a list. */
interface IndexHelp {
  /** Ranges of the narrowest index, and of the narrowest one with the requested order. Null if there are no ranges. */
  readonly found: { readonly narrow: unknown; readonly ordered: unknown } | null;
  /** True if the rows can be read in the requested order. */
  readonly isOrdered: boolean;
  /** Counts the rows in the narrowest ranges, up to `most` in each. */
  countRanges(most: number): Promise<number>;
}

/** Returns the plan of a list that an index helps. If a `window` does not fill the page, `ranges` follow. */
export async function planByIndex({ found, isOrdered, countRanges }: IndexHelp): Promise<'scan' | 'ranges' | 'window'> {
  if (found === null || found.ordered === found.narrow) return 'scan';
  if (found.ordered === null && !isOrdered) return 'ranges';
  if ((await countRanges(MANY)) < MANY) return 'ranges';
  return found.ordered === null ? 'window' : 'scan';
}
