// The worker thread of `startOpenLoop`.
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import type { Job, Sample } from './open-loop.ts';

/** With this many requests in progress the server cannot keep up, and the results would be meaningless. */
const MOST_OPEN = 2_000;

interface Loop {
  /** Waits for the last responses. @throws if a status was not 2xx */
  stop(): Promise<readonly Sample[]>;
}

function startLoop({ url, write: { method, path, headers, body }, perSecond, origin }: Job): Loop {
  const now = () => performance.timeOrigin + performance.now() - origin;
  const agent = new Agent({ keepAlive: true });
  const samples: Sample[] = [];
  const interval = 1_000 / perSecond;
  const began = now();
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
        samples.push({ due, taken: now() - due });
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
    const due = now();
    for (; began + sent * interval <= due; sent++) send(began + sent * interval);
    timer = setTimeout(tick, Math.max(0, began + sent * interval - now()));
  }
  tick();

  return {
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
      return samples;
    },
  };
}

const loop = startLoop(workerData as Job);
parentPort?.once('message', async () => parentPort?.postMessage(await loop.stop()));
