import { AppError, createSemaphore } from '@baobab/core';
import type { ReadBound, SqlValue } from '../sql/executor.ts';
import type { SearchAnswer, SearchJob } from './search-thread.ts';
import { UNLIMITED } from './search-work.ts';
import { type SearchWorker, startSearchWorker } from './search-worker.ts';

/** Maximum number of long searches that a process runs concurrently, each on its own thread. */
const THREADS = 2;
/** Maximum number of long searches that wait for a thread. */
const MAX_WAITING = 32;
/** Time after which an idle thread ends, in milliseconds. */
const IDLE_MS = 10_000;
const tooLong = () => new AppError('search.too_long');

/** Runs long searches on separate connections, so that they block nothing else. */
export interface SearchThreads {
  /** @throws `search.too_long`, `storage.unavailable` if too many wait */
  search<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound): Promise<Row[]>;
  close(): void;
}

/** @param ms time limit of a search, in milliseconds */
export function createSearchThreads(path: string, ms: number): SearchThreads {
  const all = new Set<SearchWorker>();
  const idle = new Map<SearchWorker, NodeJS.Timeout>();
  const semaphore = createSemaphore({
    running: THREADS,
    waiting: MAX_WAITING,
    refusal: () => new AppError('storage.unavailable', { detail: 'too many long searches are waiting' }),
  });
  let isClosed = false;

  function retire(thread: SearchWorker): void {
    all.delete(thread);
    thread.end();
  }

  function take(): SearchWorker {
    const [known] = idle;
    if (known !== undefined) {
      const [thread, timer] = known;
      clearTimeout(timer);
      idle.delete(thread);
      return thread;
    }
    const thread = startSearchWorker(path);
    all.add(thread);
    return thread;
  }

  function keep(thread: SearchWorker): void {
    const timer = setTimeout(() => {
      idle.delete(thread);
      retire(thread);
    }, IDLE_MS);
    idle.set(thread, timer.unref());
  }

  async function runNow(job: SearchJob): Promise<SearchAnswer> {
    if (isClosed) throw new AppError('storage.unavailable', { detail: 'the database is closed' });
    const thread = take();
    try {
      const answer = await thread.run(job);
      if (!isClosed) keep(thread);
      return answer;
    } catch (error) {
      retire(thread);
      throw error;
    }
  }

  return {
    async search<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound) {
      const answer = await semaphore.run(() => runNow({ sql, params, limit: { ...UNLIMITED, ms }, bound }));
      if (answer.kind === 'stopped') throw tooLong();
      if (answer.kind === 'failed') throw new AppError('storage.unavailable', { cause: answer.error });
      return answer.rows as Row[];
    },
    close() {
      isClosed = true;
      for (const timer of idle.values()) clearTimeout(timer);
      idle.clear();
      for (const thread of all) retire(thread);
    },
  };
}
