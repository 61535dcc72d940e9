/** Calls that go on whatever becomes of those before them. */
export interface Load {
  /** What failed so far. */
  readonly failures: readonly string[];
  /** How many have begun. */
  readonly count: number;
  /** Begins no more, and waits for those under way. */
  stop(): Promise<void>;
}

/** A machine that does not keep up with the rate has so many to do. */
const MOST_UNDER_WAY = 64;
/** So much of a second's calls is made up for when a timer is late. */
const MADE_UP_FOR = 0.1;

/**
 * Begins `rate` calls in a second, however long they take, until it is stopped; fewer where too many are under way. A
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
    for (; due >= 1 && running.size < MOST_UNDER_WAY; due--) {
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
