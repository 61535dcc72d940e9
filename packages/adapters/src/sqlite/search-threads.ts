import { AppError } from '@baobab/core';
import type { ReadBound, SqlValue } from '../sql/statements/executor.ts';
import { createWorkerPool, JobFailure } from '../worker-pool.ts';
import type { SearchAnswer, SearchJob } from './search-thread.ts';
import { UNLIMITED } from './search-work.ts';

/** Maximum number of long searches that a process runs concurrently, each on its own thread. */
const THREADS = 2;
/** Maximum number of long searches that wait for a thread. */
const MAX_WAITING = 32;
/** Time after which an idle thread ends, in milliseconds. */
const IDLE_MS = 10_000;
/** Extra time to wait for a thread, in milliseconds. A thread checks its time limit only between rows. */
const GRACE_MS = 5_000;

// Tests run the sources directly. Built files have another extension.
const IS_SOURCE = import.meta.url.endsWith('.ts');
const ENTRY = new URL(IS_SOURCE ? './search-thread.ts' : './search-thread.js', import.meta.url);
const FOR_SOURCE = { execArgv: ['--conditions=source', '--disable-warning=ExperimentalWarning'] };

const tooLong = () => new AppError('search.too_long');

function translate(error: unknown): unknown {
  if (!(error instanceof JobFailure)) return error;
  if (error.reason === 'time') return tooLong();
  const detail = error.reason === 'closed' ? { detail: 'the database is closed' } : {};
  return new AppError('storage.unavailable', { ...detail, cause: error });
}

/** Runs long searches on separate connections, so that they block nothing else. */
export interface SearchThreads {
  /** @throws `search.too_long`, `storage.unavailable` if too many wait */
  search<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound): Promise<Row[]>;
  /** Ends running searches, without waiting for their threads. */
  close(): void;
}

/**
 * @param ms time limit of a search, in milliseconds
 * @param cacheBytes maximum size of the page cache of each thread; absent for the default
 */
export function createSearchThreads(path: string, ms: number, cacheBytes?: number): SearchThreads {
  const pool = createWorkerPool<SearchJob, SearchAnswer>({
    entry: ENTRY,
    size: THREADS,
    limitMs: ms + GRACE_MS,
    idleMs: IDLE_MS,
    waiting: MAX_WAITING,
    refusal: () => new AppError('storage.unavailable', { detail: 'too many long searches are waiting' }),
    thread: { workerData: { path, cacheBytes }, ...(IS_SOURCE && FOR_SOURCE) },
  });

  return {
    async search<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound) {
      try {
        const { rows } = await pool.run({ sql, params, limit: { ...UNLIMITED, ms }, bound }, []);
        if (rows === null) throw tooLong();
        return rows as Row[];
      } catch (error) {
        throw translate(error);
      }
    },
    close() {
      pool.close().catch(() => undefined);
    },
  };
}
