import { Worker } from 'node:worker_threads';
import { AppError } from '@baobab/core';
import type { SearchAnswer, SearchJob } from './search-thread.ts';

/** Extra time to wait for a thread, in milliseconds. A thread checks its time limit only between rows. */
const GRACE_MS = 5_000;

// Tests run the sources directly. Built files have another extension.
const IS_SOURCE = import.meta.url.endsWith('.ts');
const ENTRY = new URL(IS_SOURCE ? './search-thread.ts' : './search-thread.js', import.meta.url);

interface Waiting {
  resolve(answer: SearchAnswer): void;
  reject(error: unknown): void;
}

/** A thread with its own connection. It answers its jobs in order. */
export interface SearchWorker {
  /** @throws `search.too_long` if no answer comes in time, `storage.unavailable` if the thread ends */
  run(job: SearchJob): Promise<SearchAnswer>;
  end(): void;
}

export function startSearchWorker(path: string): SearchWorker {
  const worker = new Worker(ENTRY, {
    workerData: { path },
    ...(IS_SOURCE ? { execArgv: ['--conditions=source', '--disable-warning=ExperimentalWarning'] } : {}),
  });
  worker.unref();
  const waiting: Waiting[] = [];

  function answered(): Waiting | undefined {
    const first = waiting.shift();
    if (waiting.length === 0) worker.unref();
    return first;
  }

  function fail(error: AppError): void {
    while (waiting.length > 0) answered()?.reject(error);
  }

  worker.on('message', (answer: SearchAnswer) => answered()?.resolve(answer));
  worker.on('error', (cause) => fail(new AppError('storage.unavailable', { cause })));
  worker.on('exit', () => fail(new AppError('storage.unavailable', { detail: 'the search thread has ended' })));
  return {
    async run(job) {
      let timer: NodeJS.Timeout | undefined;
      try {
        return await new Promise((resolve, reject) => {
          timer = setTimeout(() => reject(new AppError('search.too_long')), job.limit.ms + GRACE_MS);
          if (waiting.push({ resolve, reject }) === 1) worker.ref();
          worker.postMessage(job);
        });
      } finally {
        clearTimeout(timer);
      }
    },
    end() {
      worker.terminate().catch(() => undefined);
    },
  };
}
