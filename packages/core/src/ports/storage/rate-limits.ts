export interface RateWindow {
  /** How often it was taken since the window began. */
  readonly count: number;
  /** When the window ends, milliseconds. */
  readonly ends: number;
}

/** Counts events by key in windows of time, for all nodes together. */
export interface RateLimitStore {
  /**
   * Counts one more, or `amount` more. When the window of the key has ended, or there is none, one begins that ends at
   * `now + length`. Atomic: concurrent calls get different counts.
   */
  take(key: string, now: number, length: number, amount?: number): Promise<RateWindow>;
  /** Counts one less in a running window, not below 0. */
  giveBack(key: string, now: number): Promise<void>;
  /** Removes up to `limit` windows that have ended. Resolves to how many. */
  removeEnded(now: number, limit: number): Promise<number>;
}
