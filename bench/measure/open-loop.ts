import { Agent, request } from 'node:http';
import type { Request } from './load.ts';

/** When a request was due, and how long after that its answer had come; milliseconds, `due` as of `performance.now()`. */
export interface Sample {
  readonly due: number;
  readonly taken: number;
}

/** A load that goes on until it is stopped. */
export interface OpenLoop {
  /** Of requests that have been answered. */
  readonly samples: readonly Sample[];
  /** Waits for the last answers. @throws when one of them was no 2xx */
  stop(): Promise<void>;
}

/** Once so many are on their way the service does not keep up at all, and figures would mean nothing. */
const MOST_OPEN = 2_000;

/**
 * Sends a request every `1 / perSecond` seconds, whether those before are answered or not, and counts from the moment when
 * each was due: who waits because another one is slow is counted as well.
 */
export function startOpenLoop(url: string, { method, path, headers, body }: Request, perSecond: number): OpenLoop {
  const agent = new Agent({ keepAlive: true });
  const samples: Sample[] = [];
  const interval = 1_000 / perSecond;
  const began = performance.now();
  let sent = 0;
  let open = 0;
  let failure: Error | null = null;
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  let ended: (() => void) | null = null;

  function fail(error: Error): void {
    failure ??= error;
  }

  function settle(): void {
    open--;
    if (isOver && open === 0) ended?.();
  }

  function send(due: number): void {
    open++;
    if (open > MOST_OPEN) fail(new Error(`${open} requests are waiting: the service does not keep up`));
    const outgoing = request(url + path, { method, agent, headers }, (response) => {
      response.on('error', fail).resume();
      response.on('close', settle);
      response.on('end', () => {
        samples.push({ due, taken: performance.now() - due });
        const status = response.statusCode ?? 0;
        if (status < 200 || status > 299) fail(new Error(`a request was answered with ${status}`));
      });
    });
    outgoing.on('error', (error) => {
      fail(error);
      settle();
    });
    outgoing.end(body);
  }

  function tick(): void {
    if (isOver) return;
    const now = performance.now();
    for (; began + sent * interval <= now; sent++) send(began + sent * interval);
    timer = setTimeout(tick, Math.max(0, began + sent * interval - performance.now()));
  }
  tick();

  return {
    samples,
    async stop() {
      isOver = true;
      clearTimeout(timer);
      if (open > 0) {
        await new Promise<void>((resolve) => {
          ended = resolve;
        });
      }
      agent.destroy();
      if (failure !== null) throw failure;
    },
  };
}

/** A percentile of what was due from `from` until before `to`, milliseconds. */
export function percentile(samples: readonly Sample[], share: number, from: number, to: number): number {
  const taken = samples.filter(({ due }) => due >= from && due < to).map((sample) => sample.taken);
  taken.sort((a, b) => a - b);
  return taken[Math.min(taken.length - 1, Math.floor(taken.length * share))] ?? Number.NaN;
}
