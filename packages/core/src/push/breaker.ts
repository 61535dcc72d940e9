import type { PushOutcome } from '../ports/push.ts';
import { backoff } from './backoff.ts';

/** This many consecutive failures mean that the service is down; fewer may concern single notifications. */
const FAILURES_IN_A_ROW = 20;
/** The pause after the service rejected our credentials or settings: an administrator must change them. Milliseconds. */
const REFUSAL_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 30_000;

/** A circuit breaker: limits requests to a push service that is down or rejects our credentials or settings. */
export interface Breaker {
  /** Records the outcome of a notification whose sending began at `began`. */
  record(outcome: PushOutcome, began: number, now: number): void;
  /** How many notifications may be in progress, at most `most`: none in a pause, one after it until one succeeds. */
  allowance(most: number, now: number): number;
  /** The end of the pause; null when there is none. */
  pausedUntil(now: number): number | null;
  /** The reason why the service rejects our credentials or settings; null when it does not. */
  refusal(now: number): string | null;
  /** To be called when the settings have changed: forgets all failures. */
  reset(): void;
}

export function createBreaker(random: () => number): Breaker {
  /** Consecutive failures. */
  let failures = 0;
  /** How often in a row the service was found to be down; 0 while it is up. */
  let downs = 0;
  /** When it was last found to be down. */
  let since = 0;
  let until = 0;
  let refused: string | null = null;

  function reset(): void {
    failures = 0;
    downs = 0;
    until = 0;
    refused = null;
  }

  function pause(length: number, now: number): void {
    downs++;
    failures = 0;
    since = now;
    until = now + length;
  }

  function fail(began: number, now: number): void {
    refused = null;
    if (downs > 0) {
      // The failure of a notification that was in progress at that time is no news; that of the probe after a pause is.
      if (began >= since && until <= now) pause(Math.min(LONGEST_PAUSE_MS, backoff(downs, random)), now);
      return;
    }
    failures++;
    // A broken connection fails all its notifications at once: the next notification shows whether the service is down.
    if (failures >= FAILURES_IN_A_ROW) pause(0, now);
  }

  return {
    record(outcome, began, now) {
      if (outcome.kind === 'unwanted') return;
      if (outcome.kind === 'refused' && outcome.of === 'service') {
        if (until <= now) pause(REFUSAL_PAUSE_MS, now);
        refused = outcome.reason;
      } else if (outcome.kind === 'retry') fail(began, now);
      else reset();
    },
    allowance(most, now) {
      if (until > now) return 0;
      return downs > 0 ? 1 : most;
    },
    pausedUntil: (now) => (until > now ? until : null),
    refusal: (now) => (until > now ? refused : null),
    reset,
  };
}
