import { createBoundedCache } from '@baobab/core';
import type { ReadBound, SqlValue } from '../sql/executor.ts';
import type { StatementWatch } from '../sql/slow-statements.ts';
import type { SearchAnswer } from './search-thread.ts';
import { SearchStopped, SHORT_SEARCH } from './search-work.ts';
import type { SearchWorker } from './search-worker.ts';

/** Time for searches in one turn of the event loop, in milliseconds. Further ones wait for later turns. */
const TURN_MS = 2;
/** Usual duration below which searches never wait, in milliseconds. */
const BRIEF_MS = 0.15;
/** Waiting time after which a thread takes some of the searches, in milliseconds. */
const START_AFTER_MS = 50;
/** Work queued on the thread, in milliseconds, so that it continues while the event loop is busy. */
const AHEAD_MS = 5;
/** Time after which an idle thread ends, in milliseconds. */
const IDLE_MS = 10_000;
/** Maximum number of statements whose usual times are remembered. */
const MOST_STATEMENTS = 256;
/** Weight of the newest time in the usual one. */
const NEWEST = 0.2;
/**
 * Maximum weight of a time, as a multiple of the usual one: a search interrupted by other programs is not a long one.
 */
const MOST_USUAL = 2;

interface Search {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  readonly bound: ReadBound | undefined;
}

/** A search that waits for its turn. */
interface Waiting {
  readonly search: Search;
  /** Usual duration, in milliseconds. */
  readonly usual: number;
  /** @param rows null if the search reached its limit */
  resolve(rows: unknown[] | null): void;
  reject(error: unknown): void;
}

export interface SharedSearches {
  /** Resolves to null if the search reaches its limit. @throws the errors of the search */
  search<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound): Promise<Row[] | null>;
  close(): void;
}

export interface SharedSearchesOptions {
  /** Runs a search on the event loop. @throws `SearchStopped` at its limit */
  here(sql: string, params: readonly SqlValue[], bound?: ReadBound): unknown[];
  /** Null if there is no processor for a thread. */
  readonly startWorker: (() => SearchWorker) | null;
  /** Receives the duration of searches on the thread. */
  readonly watch: StatementWatch;
  /** Returns the time, in milliseconds. */
  now?(): number;
}

/**
 * Runs short searches on the event loop, only some in each turn, so that other requests do not wait for all of them.
 * While more arrive than it can run, a thread runs some of them on a second processor.
 */
export function createSharedSearches({
  here,
  startWorker,
  watch,
  now = () => performance.now(),
}: SharedSearchesOptions): SharedSearches {
  const usualMs = createBoundedCache<string, number>(MOST_STATEMENTS);
  let queue: Waiting[] = [];
  let start = startWorker;
  let worker: SearchWorker | null = null;
  /** Usual duration of the searches that the thread has not answered. */
  let ahead = 0;
  /** Duration of the searches in this turn. */
  let spent = 0;
  let isTurnPlanned = false;
  let waitingSince = 0;
  const idle = setTimeout(endWorker, IDLE_MS).unref();

  function endWorker(): void {
    worker?.end();
    worker = null;
  }

  function planTurn(): void {
    if (isTurnPlanned) return;
    isTurnPlanned = true;
    setImmediate(beginTurn);
  }

  function searchHere({ sql, params, bound }: Search): unknown[] | null {
    const begun = now();
    try {
      return here(sql, params, bound);
    } catch (error) {
      if (error instanceof SearchStopped) return null;
      throw error;
    } finally {
      const took = now() - begun;
      const usual = usualMs.get(sql) ?? took;
      usualMs.set(sql, usual + (Math.min(took, usual * MOST_USUAL) - usual) * NEWEST);
      spent += took;
      planTurn();
    }
  }

  function settleHere({ search, resolve, reject }: Waiting): void {
    try {
      resolve(searchHere(search));
    } catch (error) {
      reject(error);
    }
  }

  function take(waiting: Waiting, answer: SearchAnswer): void {
    if (answer.kind === 'rows') {
      watch(waiting.search.sql, answer.ms);
      waiting.resolve(answer.rows as unknown[]);
    } else if (answer.kind === 'stopped') waiting.resolve(null);
    // Run again here, so that the error is translated like any other database error.
    else settleHere(waiting);
  }

  function settleThere(thread: SearchWorker, waiting: Waiting): void {
    ahead += waiting.usual;
    idle.refresh();
    thread
      .run({ ...waiting.search, limit: SHORT_SEARCH })
      .then(
        (answer) => take(waiting, answer),
        () => {
          if (worker === thread) endWorker();
          settleHere(waiting);
        },
      )
      .finally(() => {
        ahead -= waiting.usual;
        planTurn();
      });
  }

  /** Returns null if the system refuses a thread. All searches then run here. */
  function startThread(): SearchWorker | null {
    try {
      return start?.() ?? null;
    } catch {
      start = null;
      return null;
    }
  }

  function beginTurn(): void {
    isTurnPlanned = false;
    spent = 0;
    if (queue.length === 0) return;
    if (worker === null && now() - waitingSince > START_AFTER_MS) worker = startThread();
    let next = 0;
    for (; worker !== null && ahead < AHEAD_MS && next < queue.length; next++)
      settleThere(worker, queue[next] as Waiting);
    for (; spent < TURN_MS && next < queue.length; next++) settleHere(queue[next] as Waiting);
    queue = queue.slice(next);
    if (queue.length > 0) planTurn();
  }

  function wait(search: Search, usual: number): Promise<unknown[] | null> {
    if (queue.length === 0) waitingSince = now();
    planTurn();
    return new Promise((resolve, reject) => {
      queue.push({ search, usual, resolve, reject });
    });
  }

  return {
    async search<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound) {
      const search = { sql, params, bound };
      const isFree = spent < TURN_MS && queue.length === 0;
      const usual = usualMs.get(sql) ?? 0;
      const mustWait = !isFree && usual > BRIEF_MS;
      return (mustWait ? await wait(search, usual) : searchHere(search)) as Row[] | null;
    },
    close() {
      start = null;
      clearTimeout(idle);
      endWorker();
    },
  };
}
