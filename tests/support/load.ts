/** Calls at a constant rate, independent of earlier ones. */
export interface Load {
  /** The failures so far. */
  readonly failures: readonly string[];
  /** The number of calls begun. */
  readonly count: number;
  /** Begins no more calls, and waits for those in progress. */
  stop(): Promise<void>;
}

/** On a machine that does not keep up with the rate, at most this many calls are in progress. */
const MAX_IN_PROGRESS = 64;
/** A late timer catches up on at most this part of a second's calls. */
const MADE_UP_FOR = 0.1;

/**
 * Begins `rate` calls a second, however long they take, until it is stopped; fewer when too many are in progress. A
 * call resolves to its status, of which those from 300 on are failures, or rejects.
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
