import type { RateLimit } from './rate-limits.ts';

/** An announced guess. */
export interface AnnouncedGuess {
  /** True if the guess may be checked. */
  readonly isAllowed: boolean;
  /** Position among all guesses of the window, allowed or not. */
  readonly place: number;
  /** Number of counted guesses, including this one if it is allowed. */
  readonly count: number;
  /** End of the window, in milliseconds. */
  readonly ends: number;
}

/**
 * Counts guesses at a secret, across all nodes. Every guess is announced before it is checked, and counts unless it
 * turns out to be right.
 */
export interface LockoutStore {
  /**
   * Counts a guess, unless `times` are counted already. A window begins with its first guess and lasts `window`. The
   * guess that fills it extends it to `window` from then on. A window that ends after `latestEnd(now, window)` counts as
   * ended. Atomic: of concurrent calls no more than `times` are allowed.
   */
  announce(key: string, now: number, limit: RateLimit): Promise<AnnouncedGuess>;
  /**
   * Stops counting the guess at `place`, which was right. This takes effect immediately if no other was announced
   * since; otherwise from `later` on, so that a right guess among many concurrent ones does not make room for another.
   */
  excuse(key: string, place: number, now: number, later: number): Promise<void>;
  /** Ends the window of a key. */
  forget(key: string): Promise<void>;
}
