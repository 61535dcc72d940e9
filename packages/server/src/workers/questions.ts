/** Questions to one other process. Answers contain the question's id. */
export interface Questions<T> {
  /** Calls `send` with the question's id. Resolves to `fallback` if no answer arrives in time. */
  ask(send: (id: number) => void): Promise<T>;
  answered(id: number, answer: T): void;
}

/**
 * @param limit timeout in milliseconds
 * @param fallback answer after the timeout
 */
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
