import { Worker } from 'node:worker_threads';
import { AppError, createSemaphore } from '@baobab/core';
import type { ReadBound, SqlValue } from '../sql/executor.ts';
import type { SearchAnswer, SearchJob } from './search-thread.ts';

/** Long searches of a process that run at once, each on its own thread. */
const THREADS = 2;
/** Long searches that may wait for a thread. */
const MAX_WAITING = 32;
/** An idle thread ends after this time. Milliseconds. */
const IDLE_MS = 10_000;
/**
 * A thread checks its time limit between rows; one that does not stop is terminated after this extra time.
 * Milliseconds.
 */
const GRACE_MS = 5_000;

// Tests run the sources directly; built files have another extension.
const IS_SOURCE = import.meta.url.endsWith('.ts');
const ENTRY = new URL(IS_SOURCE ? './search-thread.ts' : './search-thread.js', import.meta.url);

const tooLong = () => new AppError('search.too_long');

interface Thread {
  run(job: SearchJob): Promise<SearchAnswer>;
  end(): void;
}

function startThread(path: string): Thread {
  const worker = new Worker(ENTRY, {
    workerData: { path },
    ...(IS_SOURCE ? { execArgv: ['--conditions=source', '--disable-warning=ExperimentalWarning'] } : {}),
  });
  worker.unref();
  let fail: (error: unknown) => void = () => undefined;
  let done: (answer: SearchAnswer) => void = () => undefined;
  worker.on('message', (answer: SearchAnswer) => done(answer));
  worker.on('error', (cause) => fail(new AppError('storage.unavailable', { cause })));
  worker.on('exit', () => fail(new AppError('storage.unavailable', { detail: 'the search thread has ended' })));
  return {
    async run(job) {
      let timer: NodeJS.Timeout | undefined;
      try {
        return await new Promise((resolve, reject) => {
          [done, fail] = [resolve, reject];
          timer = setTimeout(() => reject(tooLong()), job.ms + GRACE_MS);
          worker.ref();
          worker.postMessage(job);
        });
      } finally {
        clearTimeout(timer);
        worker.unref();
      }
    },
    end() {
      worker.terminate().catch(() => undefined);
    },
  };
}

/** Runs long searches on connections of their own, so that nothing else waits for them. */
export interface SearchThreads {
  /** @throws `search.too_long`, `storage.unavailable` when too many wait */
  search<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound): Promise<Row[]>;
  close(): void;
}

/** @param ms the time limit of a search, in milliseconds */
export function createSearchThreads(path: string, ms: number): SearchThreads {
  const all = new Set<Thread>();
  const idle = new Map<Thread, NodeJS.Timeout>();
  const semaphore = createSemaphore({
    running: THREADS,
    waiting: MAX_WAITING,
    refusal: () => new AppError('storage.unavailable', { detail: 'too many long searches are waiting' }),
  });
  let isClosed = false;

  function retire(thread: Thread): void {
    all.delete(thread);
    thread.end();
  }

  function take(): Thread {
    const [known] = idle;
    if (known !== undefined) {
      const [thread, timer] = known;
      clearTimeout(timer);
      idle.delete(thread);
      return thread;
    }
    const thread = startThread(path);
    all.add(thread);
    return thread;
  }

  function keep(thread: Thread): void {
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
      const answer = await semaphore.run(() => runNow({ sql, params, ms, bound }));
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
