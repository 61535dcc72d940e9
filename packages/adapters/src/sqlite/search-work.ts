import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CriteriaDialect } from '../sql/criteria/dialect.ts';
import { SQLITE_CRITERIA } from './criteria.ts';

/** Limits of one search. */
export interface SearchLimit {
  /** Elapsed time, in milliseconds. */
  readonly ms: number;
  /** Processor time of this thread, in milliseconds. Unlimited if absent. */
  readonly busyMs?: number;
  /** Maximum size of one row, in bytes: a filter cannot be interrupted within a row. */
  readonly rowBytes: number;
}

/** Thrown when a search reaches its limit. */
export class SearchStopped extends Error {}

/**
 * Size from which rows are always checked, in bytes. Of smaller rows, one in 128 is: a check takes as long as a few
 * rows.
 */
const CHECKED_ROW = 16_384;
const SAMPLED = 127;
/** Size of a row that moves a search off the event loop, in bytes. */
const LARGE_ROW = 65_536;

export const UNLIMITED: SearchLimit = { ms: Number.POSITIVE_INFINITY, rowBytes: Number.POSITIVE_INFINITY };

/**
 * Limits of a search on the event loop, where everything else waits for it. A search that waited for a processor is
 * not long, and restarting it on a thread would take longer than finishing it. Elapsed time is limited too, because a
 * search may wait for the disk.
 */
export const SHORT_SEARCH: SearchLimit = { ms: 100, busyMs: 25, rowBytes: LARGE_ROW };

/** Clocks, in milliseconds. */
export interface SearchClocks {
  now(): number;
  /** Returns the processor time of this thread. */
  busy(): number;
}

const US_PER_MS = 1_000;

const now = () => performance.now();

function busy(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / US_PER_MS;
}

/** Node before 23.9 does not report the processor time of a thread. */
const SYSTEM_CLOCKS: SearchClocks = { now, busy: typeof process.threadCpuUsage === 'function' ? busy : now };

const WORK = 'search_work';

/** Filters that stop a search at its limit. JavaScript cannot interrupt SQLite itself. */
export const WATCHED_CRITERIA: CriteriaDialect = {
  ...SQLITE_CRITERIA,
  work: (sample, bytes) =>
    bytes === null
      ? `((${sample} & ${SAMPLED}) <> 0 or ${WORK}(0))`
      : `(((${sample} & ${SAMPLED}) <> 0 and ${bytes} < ${CHECKED_ROW}) or ${WORK}(${bytes}))`,
};

/** Defines the function that these filters call. */
export function watchSearches(database: DatabaseSync, clocks: SearchClocks = SYSTEM_CLOCKS) {
  let running: { readonly limit: SearchLimit; readonly begun: number; readonly busyBefore: number } | null = null;
  function isOver(bytes: number): boolean {
    if (running === null) return false;
    const { limit, begun, busyBefore } = running;
    const { ms, busyMs = Number.POSITIVE_INFINITY, rowBytes } = limit;
    if (bytes > rowBytes) return true;
    const elapsed = clocks.now() - begun;
    return elapsed > ms || (elapsed > busyMs && clocks.busy() - busyBefore > busyMs);
  }
  database.function(WORK, { useBigIntArguments: false }, (bytes) => {
    if (isOver(Number(bytes))) throw new SearchStopped('the search took too long');
    return 1;
  });
  return {
    /** @throws `SearchStopped` */
    limited<T>(limit: SearchLimit, search: () => T): T {
      running = { limit, begun: clocks.now(), busyBefore: clocks.busy() };
      try {
        return search();
      } finally {
        running = null;
      }
    },
  };
}

/** Time for searches in one turn of the event loop, in milliseconds. */
const TURN_MS = 2;

/** Creates a function that runs searches, only some in each turn, so that other requests do not wait for all of them. */
export function createSearchTurns() {
  let spent = 0;
  return async <T>(search: () => T): Promise<T> => {
    while (spent >= TURN_MS) await nextTurn();
    if (spent === 0) {
      setImmediate(() => {
        spent = 0;
      });
    }
    const begun = performance.now();
    try {
      return search();
    } finally {
      spent += performance.now() - begun;
    }
  };
}
