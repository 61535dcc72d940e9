/** Calls that go on whatever becomes of those before them. */
export interface Load {
  /** What failed so far. */
  readonly failures: readonly string[];
  /** Begins no more, and waits for those under way. */
  stop(): Promise<{ readonly count: number; readonly rate: number }>;
}

/**
 * Begins `rate` calls in a second, however long they take, until it is stopped. A call resolves to its status, of which
 * those from 300 on are failures, or rejects.
 */
export function openLoad(rate: number, call: (n: number) => Promise<number>): Load {
  const running = new Set<Promise<void>>();
  const failures: string[] = [];
  const begun = performance.now();
  let count = 0;
  const timer = setInterval(() => {
    const due = ((performance.now() - begun) / 1000) * rate;
    while (count < due) {
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
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
      return { count, rate: count / ((performance.now() - begun) / 1000) };
    },
  };
}
