/** Time after which workers without an answer are left out, in milliseconds. */
const ANSWER_LIMIT_MS = 2_000;

interface Gathering<T> {
  readonly missing: Set<number>;
  readonly answers: T[];
  finish(): void;
}

/**
 * Asks several workers in parallel and collects their answers, with a timeout.
 *
 * @param answerLimit timeout in milliseconds
 */
export function createScatterGather<T>(answerLimit = ANSWER_LIMIT_MS) {
  const open = new Map<number, Gathering<T>>();
  let count = 0;

  function take(gathering: Gathering<T>, worker: number): void {
    if (gathering.missing.delete(worker) && gathering.missing.size === 0) gathering.finish();
  }

  return {
    /**
     * Resolves to the answers that arrived. `ask` is called for each worker with the id that its answer has to repeat.
     */
    gather(workers: readonly number[], ask: (worker: number, id: number) => void): Promise<readonly T[]> {
      const id = ++count;
      return new Promise((resolve) => {
        const answers: T[] = [];
        const finish = () => {
          clearTimeout(limit);
          open.delete(id);
          resolve(answers);
        };
        const limit = setTimeout(finish, answerLimit);
        open.set(id, { missing: new Set(workers), answers, finish });
        for (const worker of workers) ask(worker, id);
        if (workers.length === 0) finish();
      });
    },
    answered(worker: number, id: number, answer: T): void {
      const gathering = open.get(id);
      if (gathering === undefined || !gathering.missing.has(worker)) return;
      gathering.answers.push(answer);
      take(gathering, worker);
    },
    /** Notes that a worker has exited and will not answer. */
    gone(worker: number): void {
      for (const gathering of open.values()) take(gathering, worker);
    },
  };
}
