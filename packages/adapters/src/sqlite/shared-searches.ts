import { createBoundedCache } from '@baobab/core';
import type { ReadBound, SqlValue } from '../sql/executor.ts';
import type { StatementWatch } from '../sql/slow-statements.ts';
import { SearchStopped, SHORT_SEARCH } from './search-work.ts';
import type { SearchWorker } from './search-worker.ts';

/** When the searches of one turn of the event loop take longer than this together, a thread is started. Milliseconds. */
const LONG_TURN_MS = 10;
/** Shorter searches are not shared: to hand one over and take its rows back costs a tenth of a millisecond. */
const WORTH_SHARING_MS = 0.4;
/** An idle thread ends after this time. Milliseconds. */
const IDLE_MS = 10_000;
/** Statements whose usual times are remembered. */
const MOST_STATEMENTS = 256;
/** The share of the newest time in the usual one. */
const NEWEST = 0.2;

export interface SharedSearches {
  /** Resolves to null when the search reaches its limit. @throws the errors of the search */
  search<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound): Promise<Row[] | null>;
  close(): void;
}

export interface SharedSearchesOptions {
  /** Runs a search on the event loop. @throws `SearchStopped` at its limit */
  here<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound): Row[];
  /** Null where there is no processor for a thread. */
  readonly startWorker: (() => SearchWorker) | null;
  /** Is told how long the searches on the thread took. */
  readonly watch: StatementWatch;
  /** Milliseconds. */
  now?(): number;
}

/**
 * Runs short searches on the event loop and, while many arrive at once, every other one of them on a thread: then they use
 * two processors, and everything else waits half as long.
 */
export function createSharedSearches({
  here,
  startWorker,
  watch,
  now = () => performance.now(),
}: SharedSearchesOptions): SharedSearches {
  const usualMs = createBoundedCache<string, number>(MOST_STATEMENTS);
  let start = startWorker;
  let worker: SearchWorker | null = null;
  /** Searches that the thread has not answered. */
  let there = 0;
  /** Searches of this turn on the event loop, and how long they took. */
  let [count, ms] = [0, 0];
  const idle = setTimeout(endWorker, IDLE_MS).unref();

  function endWorker(): void {
    worker?.end();
    worker = null;
  }

  function endTurn(): void {
    if (count > 1 && ms > LONG_TURN_MS && worker === null && start !== null) worker = start();
    [count, ms] = [0, 0];
  }

  function searchHere<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound): Row[] | null {
    if (count++ === 0) setImmediate(endTurn);
    const begun = now();
    try {
      return here<Row>(sql, params, bound);
    } catch (error) {
      if (error instanceof SearchStopped) return null;
      throw error;
    } finally {
      const took = now() - begun;
      ms += took;
      const usual = usualMs.get(sql) ?? took;
      usualMs.set(sql, usual + (took - usual) * NEWEST);
    }
  }

  /** Undefined when the thread has no answer. */
  async function searchThere<Row>(
    thread: SearchWorker,
    sql: string,
    params: readonly SqlValue[],
    bound?: ReadBound,
  ): Promise<Row[] | null | undefined> {
    there++;
    idle.refresh();
    try {
      const answer = await thread.run({ sql, params, limit: SHORT_SEARCH, bound });
      if (answer.kind === 'stopped') return null;
      if (answer.kind === 'failed') return undefined;
      watch(sql, answer.ms);
      return answer.rows as Row[];
    } catch {
      if (worker === thread) endWorker();
      return undefined;
    } finally {
      there--;
    }
  }

  return {
    async search<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound) {
      if (worker !== null && there < count && (usualMs.get(sql) ?? 0) > WORTH_SHARING_MS) {
        const found = await searchThere<Row>(worker, sql, params, bound);
        if (found !== undefined) return found;
      }
      return searchHere<Row>(sql, params, bound);
    },
    close() {
      start = null;
      clearTimeout(idle);
      endWorker();
    },
  };
}
