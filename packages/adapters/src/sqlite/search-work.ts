import type { DatabaseSync } from 'node:sqlite';
import type { CriteriaDialect } from '../sql/criteria/dialect.ts';
import { SQLITE_CRITERIA } from './criteria.ts';

/** The limits of one search. */
export interface SearchLimit {
  readonly ms: number;
  /** The size limit of one row, in bytes: a condition cannot be interrupted within a row. */
  readonly rowBytes: number;
}

/** Thrown when a search reaches its limit. */
export class SearchStopped extends Error {}

/** Rows of at least this many bytes are always checked, of smaller ones a sample. */
const LARGE_ROW = 65_536;
const SAMPLED = 31;

export const UNLIMITED: SearchLimit = { ms: Number.POSITIVE_INFINITY, rowBytes: Number.POSITIVE_INFINITY };

/** The limits of a search on the event loop, where everybody waits for it. */
export const SHORT_SEARCH: SearchLimit = { ms: 25, rowBytes: LARGE_ROW };

const WORK = 'search_work';

/** Conditions that stop a search at its limit. JavaScript cannot interrupt SQLite itself. */
export const WATCHED_CRITERIA: CriteriaDialect = {
  ...SQLITE_CRITERIA,
  work: (sample, bytes) =>
    bytes === null
      ? `((${sample} & ${SAMPLED}) <> 0 or ${WORK}(0))`
      : `(((${sample} & ${SAMPLED}) <> 0 and ${bytes} < ${LARGE_ROW}) or ${WORK}(${bytes}))`,
};

/** Defines the function that these conditions call. */
export function watchSearches(database: DatabaseSync) {
  let ends = Number.POSITIVE_INFINITY;
  let rowBytes = Number.POSITIVE_INFINITY;
  database.function(WORK, { useBigIntArguments: false }, (bytes) => {
    if (Number(bytes) > rowBytes || performance.now() > ends) throw new SearchStopped('the search took too long');
    return 1;
  });
  return {
    /** @throws `SearchStopped` */
    limited<T>(limit: SearchLimit, search: () => T): T {
      ends = performance.now() + limit.ms;
      rowBytes = limit.rowBytes;
      try {
        return search();
      } finally {
        ends = Number.POSITIVE_INFINITY;
        rowBytes = Number.POSITIVE_INFINITY;
      }
    },
  };
}
