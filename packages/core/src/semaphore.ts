export interface SemaphoreOptions {
  /** Maximum number of running tasks. */
  readonly running: number;
  /** Maximum number of waiting tasks; further ones are refused. Absent: no limit. */
  readonly waiting?: number;
  /** The error for a refused task. */
  readonly refusal?: () => Error;
}

/** Lets a limited number of tasks run at once; others wait in order. */
export interface Semaphore {
  /** The number of waiting tasks. */
  readonly waiting: number;
  /** @throws the `refusal` when too many tasks wait already */
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
