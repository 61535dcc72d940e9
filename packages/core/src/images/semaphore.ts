import { AppError } from '../errors.ts';

export interface SemaphoreOptions {
  /** Works under way at most. */
  readonly running: number;
  /** Works that may wait; more are refused. */
  readonly waiting: number;
}

/** Lets so many works run at once and so many wait, in order. */
export interface Semaphore {
  /** How many wait. */
  readonly waiting: number;
  /** @throws `image.busy` when too many wait already */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createSemaphore({ running: most, waiting: mostWaiting }: SemaphoreOptions): Semaphore {
  let running = 0;
  const waiting: Array<() => void> = [];

  async function enter(): Promise<void> {
    if (running < most) {
      running++;
      return;
    }
    if (waiting.length >= mostWaiting) throw new AppError('image.busy');
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
