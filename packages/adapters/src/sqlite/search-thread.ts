import { parentPort, workerData } from 'node:worker_threads';
import type { ReadBound, SqlValue } from '../sql/executor.ts';
import { openConnection } from './database.ts';
import { type SearchLimit, SearchStopped } from './search-work.ts';

/** A message to the thread. */
export interface SearchJob {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  readonly limit: SearchLimit;
  readonly bound: ReadBound | undefined;
}

export type SearchAnswer =
  | { readonly kind: 'rows'; readonly rows: readonly unknown[]; readonly ms: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly error: unknown };

const connection = openConnection(workerData.path, { readOnly: true });

function answer({ sql, params, limit, bound }: SearchJob): SearchAnswer {
  const begun = performance.now();
  try {
    const rows = connection.search(sql, params, limit, bound);
    return { kind: 'rows', rows, ms: performance.now() - begun };
  } catch (error) {
    return error instanceof SearchStopped ? { kind: 'stopped' } : { kind: 'failed', error: String(error) };
  }
}

parentPort?.on('message', (job: SearchJob) => parentPort?.postMessage(answer(job)));
