export interface RateWindow {
  /** Whether this event was counted; false when the limit had been reached already. */
  readonly taken: boolean;
  /** The number of events counted since the window began, with this one if it was counted. */
  readonly count: number;
  /** When the window ends, milliseconds. */
  readonly ends: number;
}

export interface RateLimit {
  /** The number of events allowed in a window. */
  readonly times: number;
  /** Length of a window, milliseconds. */
  readonly window: number;
}

/** Counts events by key in time windows, for all nodes together. */
export interface RateLimitStore {
  /**
   * Counts `amount` more (1 when absent), unless `times` have been counted already: then nothing changes. When the window
   * of the key has ended, or there is none, a new one begins that ends at `now + window`. Atomic: concurrent calls count
   * nothing once `times` is reached.
   */
  take(key: string, now: number, limit: RateLimit, amount?: number): Promise<RateWindow>;
  /** Subtracts one from a window that has not ended, not below 0. */
  giveBack(key: string, now: number): Promise<void>;
  /** Removes up to `limit` windows that have ended. Resolves to the number removed. */
  removeEnded(now: number, limit: number): Promise<number>;
}
