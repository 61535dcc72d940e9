import type { Client } from './clients.ts';

/** How often connections are checked within the limit: a silent one is dropped at most a twentieth late. */
const LOOKS = 20;

interface Seen {
  heard: number;
  /** Consecutive checks at which an answer was due and nothing had arrived. */
  quiet: number;
}

/**
 * Detects connections on which an answer is due and nothing arrives: a server that hangs, or a network that drops all
 * packets, closes no connection. Statements only increment counters, so the cost is negligible.
 *
 * @param limit milliseconds
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
