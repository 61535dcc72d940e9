const FIRST_MS = 5_000;
const LONGEST_MS = 6 * 60 * 60_000;
/** Random share of the wait, so that simultaneous failures are not retried simultaneously. */
const JITTER = 0.2;
/** Maximum accepted `Retry-After` of a receiver, in milliseconds. */
const LONGEST_RETRY_AFTER_MS = 60 * 60_000;
const GIVEN_UP_AFTER_MS = 3 * 24 * 60 * 60_000;

export interface FailedAttempt {
  /** Number of failed attempts, including this one. */
  readonly attempts: number;
  /** Time of the first attempt. */
  readonly since: number;
  readonly now: number;
  /** See `WebhookAnswer`. */
  readonly retryAfter: number | null;
}

/**
 * Returns the time of the next attempt; null: give up. The wait doubles with each attempt, from 5 seconds up to 6
 * hours, for 3 days.
 */
export function retryAt({ attempts, since, now, retryAfter }: FailedAttempt, random: () => number): number | null {
  const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 30)) * (1 + JITTER * random());
  if (now - since >= GIVEN_UP_AFTER_MS) return null;
  const due = now + Math.max(Math.round(wait), Math.min(retryAfter ?? 0, LONGEST_RETRY_AFTER_MS));
  // The last attempt is made exactly at the end of this time.
  return Math.min(due, since + GIVEN_UP_AFTER_MS);
}
