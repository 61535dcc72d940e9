import type { DatabaseSync } from 'node:sqlite';
import type { CriteriaDialect } from '../sql/criteria/dialect.ts';
import { SQLITE_CRITERIA } from './criteria.ts';

/** How far one search may go. */
export interface SearchLimit {
  readonly ms: number;
  /** Bytes of one row at most: how long a condition looks at it cannot be told in between. */
  readonly rowBytes: number;
}

/** A search has reached its limit. */
export class SearchStopped extends Error {}

/** A row of this many bytes is always looked at, of smaller ones some. */
const LARGE_ROW = 65_536;
const SAMPLED = 31;

export const UNLIMITED: SearchLimit = { ms: Number.POSITIVE_INFINITY, rowBytes: Number.POSITIVE_INFINITY };

/** What a search may take where everybody waits for it. */
export const SHORT_SEARCH: SearchLimit = { ms: 25, rowBytes: LARGE_ROW };

const WORK = 'search_work';

/** Conditions that end a search which has gone too far. SQLite itself cannot be interrupted from JavaScript. */
export const WATCHED_CRITERIA: CriteriaDialect = {
  ...SQLITE_CRITERIA,
  work: (sample, bytes) =>
    bytes === null
      ? `((${sample} & ${SAMPLED}) <> 0 or ${WORK}(0))`
      : `(((${sample} & ${SAMPLED}) <> 0 and ${bytes} < ${LARGE_ROW}) or ${WORK}(${bytes}))`,
};

/** Gives a connection the function that these conditions call. */
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
