import type { Client } from './clients.ts';

/** Connections are looked at so often within the limit: one is given up after at most a twentieth more. */
const LOOKS = 20;

interface Seen {
  heard: number;
  /** Looks in a row at which an answer was due and nothing had come. */
  quiet: number;
}

/**
 * Notices connections on which an answer is due and nothing comes: a server that hangs, or a network that drops
 * everything, ends no connection. Statements only count, so that they pay next to nothing for it.
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
