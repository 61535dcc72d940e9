/** Calls at a constant rate, independent of earlier ones. */
export interface Load {
  /** Failures so far. */
  readonly failures: readonly string[];
  /** Number of calls begun. */
  readonly count: number;
  /** Begins no further calls, and waits for those in progress. */
  stop(): Promise<void>;
}

/** Maximum number of calls in progress, for machines that cannot keep up with the rate. */
const MAX_IN_PROGRESS = 64;
/** Maximum fraction of a second's calls that a late timer catches up on. */
const MADE_UP_FOR = 0.1;

/**
 * Begins `rate` calls a second, regardless of their duration, until it is stopped; fewer if too many are in progress. A
 * call fails if it rejects or resolves to a status of 300 or more.
 */
export function openLoad(rate: number, call: (n: number) => Promise<number>): Load {
  const running = new Set<Promise<void>>();
  const failures: string[] = [];
  let last = performance.now();
  let due = 0;
  let count = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    due = Math.min(due + ((now - last) / 1000) * rate, rate * MADE_UP_FOR);
    last = now;
    for (; due >= 1 && running.size < MAX_IN_PROGRESS; due--) {
      const n = count++;
      const one = call(n).then(
        (status) => void (status >= 300 && failures.push(`${n}: ${status}`)),
        (error: Error) => void failures.push(`${n}: ${error.message} ${String(error.cause)}`),
      );
      running.add(one);
      void one.then(() => running.delete(one));
    }
  }, 5);
  return {
    failures,
    get count() {
      return count;
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}
