import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Request } from './load.ts';

/** Due time of a request (as of `performance.now()`), and the delay of its response from that time. Milliseconds. */
export interface Sample {
  readonly due: number;
  readonly taken: number;
}

/** Instructions for the worker thread. */
export interface Job {
  readonly url: string;
  readonly write: Request;
  readonly perSecond: number;
  /** Time origin of this thread's `performance.now()`, in milliseconds since 1970. */
  readonly origin: number;
}

/** A load that runs until it is stopped. */
export interface OpenLoop {
  /** Waits for the last responses. @throws if a status was not 2xx, or the server did not keep up */
  stop(): Promise<readonly Sample[]>;
}

/**
 * Sends a request every `1 / perSecond` seconds, even if earlier ones are not answered yet, and measures from the due
 * time of each. Requests delayed behind a slow one are therefore counted too. Runs in a separate thread, because
 * starting a process blocks this thread for 10 ms.
 */
export function startOpenLoop(url: string, write: Request, perSecond: number): OpenLoop {
  const workerData: Job = { url, write, perSecond, origin: performance.timeOrigin };
  const worker = new Worker(new URL('open-loop-thread.ts', import.meta.url), { workerData });
  const failed = new Promise<never>((_, reject) => worker.once('error', reject));
  failed.catch(() => undefined); // `stop` reports it
  return {
    async stop() {
      worker.postMessage('stop');
      const [samples] = await Promise.race([once(worker, 'message'), failed]).finally(() => worker.terminate());
      return samples as readonly Sample[];
    },
  };
}

/** Returns a percentile of the requests that were due in [`from`, `to`), in milliseconds. */
export function percentile(samples: readonly Sample[], share: number, from: number, to: number): number {
  const taken = samples.filter(({ due }) => due >= from && due < to).map((sample) => sample.taken);
  taken.sort((a, b) => a - b);
  return taken[Math.min(taken.length - 1, Math.floor(taken.length * share))] ?? Number.NaN;
}
