/** Runs a task once fewer than a given number of others are running. Waiting tasks keep their order. */
export type Limit = <T>(task: () => Promise<T>) => Promise<T>;

export function createLimit(most: number): Limit {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (running < most) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

/** Runs `work` for every item, a few at a time. Resolves to the failures once all are done. */
export async function failuresOf<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<unknown[]> {
  const limit = createLimit(4);
  const outcomes = await Promise.allSettled(items.map((item) => limit(() => work(item))));
  return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
}
