import { createServer } from 'node:net';

/**
 * Ports below those that systems give to outgoing connections and to servers without a port of their own, and above the
 * last one that `fetch` and browsers refuse: 10080 (https://fetch.spec.whatwg.org/#bad-port).
 */
const FIRST = 10_081;
const NUMBER = 19_919;

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** Returns a port that stays free: nothing else on the machine is likely to get it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * NUMBER);
    if (await isFree(port)) return port;
  }
}
