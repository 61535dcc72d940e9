const FIRST_MS = 5_000;
const LONGEST_MS = 6 * 60 * 60_000;
/** A part of the wait that is random, so that simultaneous failures are not retried simultaneously. */
const JITTER = 0.2;
/** A longer `Retry-After` of a receiver is cut to this. Milliseconds. */
const LONGEST_RETRY_AFTER_MS = 60 * 60_000;
const GIVEN_UP_AFTER_MS = 3 * 24 * 60 * 60_000;

export interface FailedAttempt {
  /** How many attempts have failed, this one included. */
  readonly attempts: number;
  /** When the first one was made. */
  readonly since: number;
  readonly now: number;
  /** As in `WebhookAnswer`. */
  readonly retryAfter: number | null;
}

/**
 * When to try again; null: give up. The wait doubles with each attempt, from 5 seconds up to 6 hours, for 3 days.
 */
export function retryAt({ attempts, since, now, retryAfter }: FailedAttempt, random: () => number): number | null {
  const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 30)) * (1 + JITTER * random());
  if (now - since >= GIVEN_UP_AFTER_MS) return null;
  const due = now + Math.max(Math.round(wait), Math.min(retryAfter ?? 0, LONGEST_RETRY_AFTER_MS));
  // The last attempt is made at the end of the time, not before it.
  return Math.min(due, since + GIVEN_UP_AFTER_MS);
}
