/** One run of a job on one node. */
export interface JobRun {
  readonly name: string;
  /** Unique to this run, also among runs on the same node. */
  readonly holder: string;
}

/** Jobs that run once per period, regardless of the number of nodes. */
export interface JobStore {
  /**
   * Claims a job that is due at `now`, or that was never claimed before. The lease ends at `until`: if the holder has
   * not called `finish` by then, the job is due again. Of concurrent calls for one job exactly one resolves to true.
   *
   * @param latest a due time after it was stored while the clock was fast, and counts as due; absent for none
   */
  claim(run: JobRun, now: number, until: number, latest?: number): Promise<boolean>;
  /** Makes an unknown job due at `due`. No-op for a known one. */
  plan(name: string, due: number): Promise<void>;
  /** Returns the time at which a job is due, or at which its lease ends; null if it is unknown. */
  due(name: string): Promise<number | null>;
  /** Extends the lease until `until`. Resolves to false if the holder has lost it. */
  extend(run: JobRun, until: number): Promise<boolean>;
  /** Records that the job is done and next due at `due`. Resolves to false if the holder has lost the lease. */
  finish(run: JobRun, due: number): Promise<boolean>;
}
