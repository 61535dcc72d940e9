/** The current time. A port, so that tests can set it. */
export interface Clock {
  /** Returns whole milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}
