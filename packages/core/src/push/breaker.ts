import type { PushOutcome } from '../ports/push.ts';
import { lasts } from '../time/waits.ts';
import { backoff } from './backoff.ts';

/**
 * Number of consecutive failures after which the push service counts as down. Fewer may concern single notifications.
 */
const FAILURES_IN_A_ROW = 20;
/**
 * Pause after the push service rejected our credentials or settings, which an administrator must change, in
 * milliseconds.
 */
const REFUSAL_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 30_000;

/** A circuit breaker: limits requests to a push service that is down or rejects our credentials or settings. */
export interface Breaker {
  /** Records the outcome of a notification whose sending began at `began`. */
  record(outcome: PushOutcome, began: number, now: number): void;
  /**
   * Returns the allowed number of notifications in progress, at most `most`: none during a pause, one after it until
   * one succeeds.
   */
  allowance(most: number, now: number): number;
  /** Returns the end of the pause; null if there is none. */
  pausedUntil(now: number): number | null;
  /** Returns the reason why the push service rejects our credentials or settings; null if it does not. */
  refusal(now: number): string | null;
  /** Forgets all failures. To be called when the settings have changed. */
  reset(): void;
}

export function createBreaker(random: () => number): Breaker {
  /** Number of consecutive failures. */
  let failures = 0;
  /** Number of consecutive times the push service was found to be down; 0 while it is up. */
  let downs = 0;
  /** Time at which it was last found to be down. */
  let since = 0;
  let until = 0;
  let refused: string | null = null;

  const isPaused = (now: number) => lasts(until, now, REFUSAL_PAUSE_MS);

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
      // A failure only counts if it is that of the probe after a pause, not of a notification already in progress.
      if (began >= since && !isPaused(now)) pause(Math.min(LONGEST_PAUSE_MS, backoff(downs, random)), now);
      return;
    }
    failures++;
    // A broken connection fails all its notifications at once. The next notification shows whether the push service is
    // down.
    if (failures >= FAILURES_IN_A_ROW) pause(0, now);
  }

  return {
    record(outcome, began, now) {
      if (outcome.kind === 'unwanted') return;
      if (outcome.kind === 'refused' && outcome.of === 'service') {
        if (!isPaused(now)) pause(REFUSAL_PAUSE_MS, now);
        refused = outcome.reason;
      } else if (outcome.kind === 'retry') fail(began, now);
      else reset();
    },
    allowance(most, now) {
      if (isPaused(now)) return 0;
      return downs > 0 ? 1 : most;
    },
    pausedUntil: (now) => (isPaused(now) ? until : null),
    refusal: (now) => (isPaused(now) ? refused : null),
    reset,
  };
}
