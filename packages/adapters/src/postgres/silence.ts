import type { Client } from './clients.ts';

/** Number of checks within the limit. A silent connection is dropped at most a twentieth late. */
const LOOKS = 20;

interface Seen {
  heard: number;
  /** Consecutive checks with an answer due and no data since the previous one. */
  quiet: number;
}

/**
 * Detects connections with an answer due and no arriving data: a server that hangs, or a network that drops all
 * packets, closes no connection. Statements only increment counters, so the cost is negligible.
 *
 * @param limit in milliseconds
 */
export function watchSilence(limit: number, clients: Iterable<Client>, giveUp: (client: Client) => void) {
  const seen = new WeakMap<Client, Seen>();

  function isSilent(client: Client): boolean {
    const { due, heard } = client.traffic;
    const before = seen.get(client);
    if (before === undefined || due === 0 || heard !== before.heard) {
      seen.set(client, { heard, quiet: due === 0 ? 0 : 1 });
      return false;
    }
    return ++before.quiet > LOOKS;
  }

  const timer = setInterval(() => {
    for (const client of Array.from(clients)) if (isSilent(client)) giveUp(client);
  }, limit / LOOKS);
  timer.unref();
  return { end: () => clearInterval(timer) };
}
