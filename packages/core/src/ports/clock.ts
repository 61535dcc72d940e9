/** The current time. A port, so that tests can set it. */
export interface Clock {
  /** Returns whole milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /**
   * Returns milliseconds since any moment, by a clock that nothing sets. It counts the time of a suspended machine.
   * Absent if `now` never jumps.
   */
  steady?(): number;
}
