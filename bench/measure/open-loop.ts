import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Request } from './load.ts';

/** When a request was due, and how long after that its answer had come; milliseconds, `due` as of `performance.now()`. */
export interface Sample {
  readonly due: number;
  readonly taken: number;
}

/** What the thread of a loop is told. */
export interface Job {
  readonly url: string;
  readonly write: Request;
  readonly perSecond: number;
  /** When `performance.now()` was 0 here; milliseconds since 1970. */
  readonly origin: number;
}

/** A load that goes on until it is stopped. */
export interface OpenLoop {
  /** Waits for the last answers. @throws when one of them was no 2xx, or the service did not keep up at all */
  stop(): Promise<readonly Sample[]>;
}

/**
 * Sends a request every `1 / perSecond` seconds, whether those before are answered or not, and counts from the moment when
 * each was due: who waits because another one is slow is counted as well. It has a thread of its own: to begin a process
 * takes this one 10 ms, in which it would send nothing.
 */
export function startOpenLoop(url: string, write: Request, perSecond: number): OpenLoop {
  const workerData: Job = { url, write, perSecond, origin: performance.timeOrigin };
  const worker = new Worker(new URL('open-loop-thread.ts', import.meta.url), { workerData });
  const failed = new Promise<never>((_, reject) => worker.once('error', reject));
  failed.catch(() => undefined); // told by `stop`
  return {
    async stop() {
      worker.postMessage('stop');
      const [samples] = await Promise.race([once(worker, 'message'), failed]).finally(() => worker.terminate());
      return samples as readonly Sample[];
    },
  };
}

/** A percentile of what was due from `from` until before `to`, milliseconds. */
export function percentile(samples: readonly Sample[], share: number, from: number, to: number): number {
  const taken = samples.filter(({ due }) => due >= from && due < to).map((sample) => sample.taken);
  taken.sort((a, b) => a - b);
  return taken[Math.min(taken.length - 1, Math.floor(taken.length * share))] ?? Number.NaN;
}
