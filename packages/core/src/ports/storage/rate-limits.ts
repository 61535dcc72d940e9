export interface RateWindow {
  /** Whether this event was counted; false when there were as many as may be already. */
  readonly taken: boolean;
  /** How many are counted since the window began, with this one if it was. */
  readonly count: number;
  /** When the window ends, milliseconds. */
  readonly ends: number;
}

export interface RateLimit {
  /** How many events a window has room for. */
  readonly times: number;
  /** Length of a window, milliseconds. */
  readonly window: number;
}

/** Counts events by key in windows of time, for all nodes together. */
export interface RateLimitStore {
  /**
   * Counts `amount` more, one when absent, unless there are `times` already: then nothing changes. When the window of the
   * key has ended, or there is none, one begins that ends at `now + window`. Atomic: of concurrent calls none is counted
   * once there are `times`.
   */
  take(key: string, now: number, limit: RateLimit, amount?: number): Promise<RateWindow>;
  /** Counts one less in a running window, not below 0. */
  giveBack(key: string, now: number): Promise<void>;
  /** Removes up to `limit` windows that have ended. Resolves to how many. */
  removeEnded(now: number, limit: number): Promise<number>;
}
