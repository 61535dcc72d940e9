import { parentPort, workerData } from 'node:worker_threads';
import type { ReadBound, SqlValue } from '../sql/statements/executor.ts';
import type { Answer } from '../worker-pool.ts';
import { openConnection } from './database.ts';
import { type SearchLimit, SearchStopped } from './search-work.ts';

/** A message to the thread. */
export interface SearchJob {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  readonly limit: SearchLimit;
  readonly bound: ReadBound | undefined;
}

export interface SearchAnswer {
  /** Null if the search was stopped at its limit. */
  readonly rows: readonly unknown[] | null;
}

const connection = openConnection(workerData.path, { readOnly: true, cacheBytes: workerData.cacheBytes });

function answer({ sql, params, limit, bound }: SearchJob): Answer<SearchAnswer> {
  try {
    return { value: { rows: connection.search(sql, params, limit, bound) }, isWorn: false };
  } catch (error) {
    if (error instanceof SearchStopped) return { value: { rows: null }, isWorn: false };
    return { problem: String(error), isWorn: false };
  }
}

parentPort?.on('message', (job: SearchJob) => parentPort?.postMessage(answer(job)));
