import type { Numbers } from './messages.ts';

/** Who has not answered by then is left out. Milliseconds. */
const ANSWER_LIMIT_MS = 2_000;

interface Gathering {
  readonly missing: Set<number>;
  readonly numbers: Numbers[];
  finish(): void;
}

/** Asks several processes for something and waits for all of them, but not forever. */
export function createGatherings(answerLimit = ANSWER_LIMIT_MS) {
  const open = new Map<number, Gathering>();
  let count = 0;

  function take(gathering: Gathering, worker: number): void {
    if (gathering.missing.delete(worker) && gathering.missing.size === 0) gathering.finish();
  }

  return {
    /** Resolves to what arrived. `ask` is called for each worker with what its answer has to name. */
    gather(workers: readonly number[], ask: (worker: number, id: number) => void): Promise<readonly Numbers[]> {
      const id = ++count;
      return new Promise((resolve) => {
        const numbers: Numbers[] = [];
        const finish = () => {
          clearTimeout(limit);
          open.delete(id);
          resolve(numbers);
        };
        const limit = setTimeout(finish, answerLimit);
        open.set(id, { missing: new Set(workers), numbers, finish });
        for (const worker of workers) ask(worker, id);
        if (workers.length === 0) finish();
      });
    },
    answered(worker: number, id: number, numbers: Numbers): void {
      const gathering = open.get(id);
      if (gathering === undefined || !gathering.missing.has(worker)) return;
      gathering.numbers.push(numbers);
      take(gathering, worker);
    },
    /** It will not answer any more. */
    gone(worker: number): void {
      for (const gathering of open.values()) take(gathering, worker);
    },
  };
}
