export interface SemaphoreOptions {
  /** Maximum number of running tasks. */
  readonly running: number;
  /** Maximum number of waiting tasks. Further ones are refused. Absent: no limit. */
  readonly waiting?: number;
  /** Returns the error for a refused task. */
  readonly refusal?: () => Error;
}

/** Limits the number of concurrent tasks. Others wait in order. */
export interface Semaphore {
  /** Number of waiting tasks. */
  readonly waiting: number;
  /** @throws the `refusal` if too many tasks are waiting */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createSemaphore({
  running: most,
  waiting: mostWaiting = Number.POSITIVE_INFINITY,
  refusal = () => new Error('too many tasks are waiting'),
}: SemaphoreOptions): Semaphore {
  let running = 0;
  const waiting: Array<() => void> = [];

  async function enter(): Promise<void> {
    if (running < most) {
      running++;
      return;
    }
    if (waiting.length >= mostWaiting) throw refusal();
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }

  return {
    get waiting() {
      return waiting.length;
    },
    async run(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
