import type { DatabaseSync } from 'node:sqlite';
import type { CriteriaDialect } from '../sql/criteria/dialect.ts';
import { SQLITE_CRITERIA } from './criteria.ts';

/** The limits of one search. */
export interface SearchLimit {
  /** Elapsed time. */
  readonly ms: number;
  /** Processor time of this thread, in milliseconds; absent: unlimited. */
  readonly busyMs?: number;
  /** The size limit of one row, in bytes: a condition cannot be interrupted within a row. */
  readonly rowBytes: number;
}

/** Thrown when a search reaches its limit. */
export class SearchStopped extends Error {}

/** Rows of at least this many bytes are always checked, of smaller ones one in 128: a check takes as long as a few rows. */
const CHECKED_ROW = 16_384;
const SAMPLED = 127;
/** Rows of this many bytes leave the event loop at once. */
const LARGE_ROW = 65_536;

export const UNLIMITED: SearchLimit = { ms: Number.POSITIVE_INFINITY, rowBytes: Number.POSITIVE_INFINITY };

/**
 * The limits of a search on the event loop, where everybody waits for it. A search that waited for a processor is not a
 * long one: to begin it again on a thread would take longer than to finish it. Elapsed time counts too, because a search
 * may wait for the disk.
 */
export const SHORT_SEARCH: SearchLimit = { ms: 100, busyMs: 25, rowBytes: LARGE_ROW };

/** Clocks in milliseconds. */
export interface SearchClocks {
  now(): number;
  /** The processor time of this thread. */
  busy(): number;
}

const US_PER_MS = 1_000;

const now = () => performance.now();

function busy(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / US_PER_MS;
}

/** Node before 23.9 does not tell how long a thread has run. */
const SYSTEM_CLOCKS: SearchClocks = { now, busy: typeof process.threadCpuUsage === 'function' ? busy : now };

const WORK = 'search_work';

/** Conditions that stop a search at its limit. JavaScript cannot interrupt SQLite itself. */
export const WATCHED_CRITERIA: CriteriaDialect = {
  ...SQLITE_CRITERIA,
  work: (sample, bytes) =>
    bytes === null
      ? `((${sample} & ${SAMPLED}) <> 0 or ${WORK}(0))`
      : `(((${sample} & ${SAMPLED}) <> 0 and ${bytes} < ${CHECKED_ROW}) or ${WORK}(${bytes}))`,
};

/** Defines the function that these conditions call. */
export function watchSearches(database: DatabaseSync, clocks: SearchClocks = SYSTEM_CLOCKS) {
  let ends = Number.POSITIVE_INFINITY;
  /** Before this time the processor time cannot have reached its limit. */
  let mayBeBusy = Number.POSITIVE_INFINITY;
  let busyUntil = Number.POSITIVE_INFINITY;
  let rowBytes = Number.POSITIVE_INFINITY;
  function isOver(): boolean {
    const time = clocks.now();
    return time > ends || (time > mayBeBusy && clocks.busy() > busyUntil);
  }
  database.function(WORK, { useBigIntArguments: false }, (bytes) => {
    if (Number(bytes) > rowBytes || isOver()) throw new SearchStopped('the search took too long');
    return 1;
  });
  return {
    /** @throws `SearchStopped` */
    limited<T>(limit: SearchLimit, search: () => T): T {
      const { ms, busyMs = Number.POSITIVE_INFINITY } = limit;
      const begun = clocks.now();
      ends = begun + ms;
      mayBeBusy = begun + busyMs;
      busyUntil = Number.isFinite(busyMs) ? clocks.busy() + busyMs : busyMs;
      rowBytes = limit.rowBytes;
      try {
        return search();
      } finally {
        ends = Number.POSITIVE_INFINITY;
        mayBeBusy = Number.POSITIVE_INFINITY;
        rowBytes = Number.POSITIVE_INFINITY;
      }
    },
  };
}
