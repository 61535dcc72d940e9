import { LONGEST_WAITS } from '../time/waits.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = LONGEST_WAITS.mail;

/**
 * Returns the wait before the next attempt, in milliseconds. Doubles with each failed attempt, up to 10 minutes, with
 * jitter in one half of it so that simultaneous failures are not retried simultaneously.
 */
export function backoff(attempts: number, random: () => number): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 30));
  return Math.round(longest * (0.5 + random() / 2));
}
