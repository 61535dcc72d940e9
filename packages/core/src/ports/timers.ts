/** Delayed calls. A port, because the core has no timers. */
export interface Timers {
  /**
   * Calls `work` once, after at least this many milliseconds. Does not keep the process alive. Returns a function that
   * cancels the call, and that is a no-op afterwards or after the call.
   */
  after(milliseconds: number, work: () => void): () => void;
}
