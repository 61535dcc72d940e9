/** The time. It is a port so that tests can set it. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z, whole. */
  now(): number;
}
