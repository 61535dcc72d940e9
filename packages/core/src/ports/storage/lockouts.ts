import type { RateLimit } from './rate-limits.ts';

/** A guess that was announced. */
export interface AnnouncedGuess {
  /** Whether it may be examined. */
  readonly isAllowed: boolean;
  /** Its place among all guesses of the window, allowed or not. */
  readonly place: number;
  /** How many guesses count, with this one if it is allowed. */
  readonly count: number;
  /** When the window ends, milliseconds. */
  readonly ends: number;
}

/**
 * Counts guesses at a secret, for all nodes together. Every guess is announced before it is examined, and counts unless it
 * turns out to be right.
 */
export interface LockoutStore {
  /**
   * Counts a guess, unless `times` count already. A window begins with its first guess and lasts `window`; the guess with
   * which it is full makes it last `window` from then on. Atomic: of concurrent calls no more than `times` are allowed.
   */
  announce(key: string, now: number, limit: RateLimit): Promise<AnnouncedGuess>;
  /**
   * The guess at `place` was right and no longer counts: at once, if no other was announced since; otherwise from `later`
   * on, so that a right guess among many concurrent ones does not make room for another.
   */
  excuse(key: string, place: number, now: number, later: number): Promise<void>;
  /** Ends the window of a key. */
  forget(key: string): Promise<void>;
  /** Removes up to `limit` windows that have ended. Resolves to the number removed. */
  removeEnded(now: number, limit: number): Promise<number>;
}
