/** Delayed calls. It is a port because the core has no timers of its own. */
export interface Timers {
  /**
   * Calls `work` once, after at least this many milliseconds. Does not keep the process alive. Returns a function that
   * cancels the call; afterwards, or after the call, it does nothing.
   */
  after(milliseconds: number, work: () => void): () => void;
}
