/** Runs at most so many works at once; the others wait in their order. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>;

export function createLimit(most: number): Limit {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < most) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

/** Does `work` for every item, some at a time. Resolves to the failures once all are done. */
export async function failuresOf<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<unknown[]> {
  const limit = createLimit(4);
  const outcomes = await Promise.allSettled(items.map((item) => limit(() => work(item))));
  return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
}
