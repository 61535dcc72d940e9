import { parentPort, workerData } from 'node:worker_threads';
import type { ReadBound, SqlValue } from '../sql/executor.ts';
import { openConnection } from './database.ts';
import { SearchStopped, UNLIMITED } from './search-work.ts';

/** A message to the thread. */
export interface SearchJob {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  readonly ms: number;
  readonly bound: ReadBound | undefined;
}

export type SearchAnswer =
  | { readonly kind: 'rows'; readonly rows: readonly unknown[] }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly error: unknown };

const connection = openConnection(workerData.path, { readOnly: true });

function answer({ sql, params, ms, bound }: SearchJob): SearchAnswer {
  try {
    return { kind: 'rows', rows: connection.search(sql, params, { ...UNLIMITED, ms }, bound) };
  } catch (error) {
    return error instanceof SearchStopped ? { kind: 'stopped' } : { kind: 'failed', error: String(error) };
  }
}

parentPort?.on('message', (job: SearchJob) => parentPort?.postMessage(answer(job)));
