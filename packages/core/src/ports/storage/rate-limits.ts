export interface RateWindow {
  /** True if this event was counted, false if the limit had been reached. */
  readonly taken: boolean;
  /** Number of events counted since the window began, including this one if it was counted. */
  readonly count: number;
  /** End of the window, in milliseconds. */
  readonly ends: number;
}

export interface RateLimit {
  /** Number of events allowed per window. */
  readonly times: number;
  /** Length of a window, in milliseconds. */
  readonly window: number;
}

/** Counts events by key in time windows, across all nodes. */
export interface RateLimitStore {
  /**
   * Counts `amount` more events (1 if absent), unless `times` have been counted already; then nothing changes. If the
   * window of the key has ended, or there is none, a new one begins that ends at `now + window`. A window that ends
   * after `latestEnd(now, window)` counts as ended. Atomic: concurrent calls count nothing once `times` is reached.
   */
  take(key: string, now: number, limit: RateLimit, amount?: number): Promise<RateWindow>;
  /** Subtracts one from a window that has not ended, not below 0. */
  giveBack(key: string, now: number): Promise<void>;
}
