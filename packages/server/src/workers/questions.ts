/** Questions to one other process, which answers by their number. */
export interface Questions<T> {
  /** `send` is called with the number. Resolves to `fallback` when there is no answer in time. */
  ask(send: (id: number) => void): Promise<T>;
  answered(id: number, answer: T): void;
}

/** @param limit how long an answer is waited for, milliseconds */
export function createQuestions<T>(limit: number, fallback: T): Questions<T> {
  const open = new Map<number, (answer: T) => void>();
  let count = 0;
  return {
    ask(send) {
      const id = ++count;
      return new Promise((resolve) => {
        const finish = (answer: T) => {
          clearTimeout(timer);
          open.delete(id);
          resolve(answer);
        };
        const timer = setTimeout(finish, limit, fallback);
        open.set(id, finish);
        send(id);
      });
    },
    answered: (id, answer) => open.get(id)?.(answer),
  };
}
