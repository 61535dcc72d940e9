export interface SemaphoreOptions {
  /** Maximum number of running tasks, or their total weight. */
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
  /**
   * @param weight share of `running` that the task takes, at most all of it. Default: 1
   * @throws the `refusal` if too many tasks are waiting
   */
  run<T>(work: () => Promise<T>, weight?: number): Promise<T>;
}

export function createSemaphore({
  running: most,
  waiting: mostWaiting = Number.POSITIVE_INFINITY,
  refusal = () => new Error('too many tasks are waiting'),
}: SemaphoreOptions): Semaphore {
  let running = 0;
  const waiting: Array<{ readonly weight: number; start(): void }> = [];

  async function enter(weight: number): Promise<void> {
    // A light task does not overtake waiting ones, or a heavy one would never run.
    if (waiting.length === 0 && running + weight <= most) {
      running += weight;
      return;
    }
    if (waiting.length >= mostWaiting) throw refusal();
    await new Promise<void>((start) => waiting.push({ weight, start }));
  }

  function leave(weight: number): void {
    running -= weight;
    for (let next = waiting[0]; next !== undefined && running + next.weight <= most; next = waiting[0]) {
      waiting.shift();
      running += next.weight;
      next.start();
    }
  }

  return {
    get waiting() {
      return waiting.length;
    },
    async run(work, weight = 1) {
      await enter(weight);
      try {
        return await work();
      } finally {
        leave(weight);
      }
    },
  };
}
