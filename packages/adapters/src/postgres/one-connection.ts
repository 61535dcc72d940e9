import { AsyncLocalStorage } from 'node:async_hooks';

/** Detects work that holds a connection and asks for another: if all do so, none can go on. */
export interface OneConnection {
  /** Runs work that holds a connection. @throws the error of `assertNone` even if `work` swallowed it */
  hold<T>(work: () => Promise<T>): Promise<T>;
  /** @throws if called by work that holds a connection */
  assertNone(): void;
}

/** For production: detecting costs time on some versions of Node.js. */
export const UNCHECKED: OneConnection = { hold: (work) => work(), assertNone: () => undefined };

interface Holding {
  isOver: boolean;
  failure: Error | null;
}

export function createOneConnection(): OneConnection {
  const current = new AsyncLocalStorage<Holding>();
  return {
    async hold(work) {
      const holding: Holding = { isOver: false, failure: null };
      try {
        const result = await current.run(holding, work);
        if (holding.failure !== null) throw holding.failure;
        return result;
      } finally {
        // Timers and promises that outlive the work keep its context.
        holding.isOver = true;
      }
    },
    assertNone() {
      const holding = current.getStore();
      if (holding === undefined || holding.isOver) return;
      holding.failure = new Error('a transaction must not ask for a second connection: it could wait for itself');
      throw holding.failure;
    },
  };
}
