import { AppError } from '@baobab/core';

/**
 * Lets at most `slots` pieces of work run at once; the others wait in order, and beyond `maxWaiting` they are refused.
 * The driver's own queues never shrink while they do not drain, so nothing may ever wait inside it.
 */
export interface Gate {
  /** Takes a slot: at once (null), or when the promise resolves. @throws `storage.unavailable` when too many wait */
  take(): Promise<void> | null;
  /** Gives a slot back, to whoever waits longest. */
  leave(): void;
  /** Runs `work` with a slot. */
  enter<T>(work: () => Promise<T>): Promise<T>;
  readonly running: number;
  readonly waiting: number;
}

interface Waiting {
  readonly start: () => void;
  next: Waiting | null;
}

export function createGate({ slots, maxWaiting }: { slots: number; maxWaiting: number }): Gate {
  let running = 0;
  let waiting = 0;
  let head: Waiting | null = null;
  let tail: Waiting | null = null;

  function leave(): void {
    const next = head;
    if (next === null) {
      running--;
      return;
    }
    head = next.next;
    // Otherwise one entry that the collector takes for old would keep all that came after it.
    next.next = null;
    if (head === null) tail = null;
    waiting--;
    next.start(); // takes over the slot
  }

  function wait(): Promise<void> {
    if (waiting >= maxWaiting) {
      throw new AppError('storage.unavailable', { detail: 'too many requests are waiting for the database' });
    }
    waiting++;
    return new Promise((resolve) => {
      const entry: Waiting = { start: resolve, next: null };
      if (tail === null) head = entry;
      else tail.next = entry;
      tail = entry;
    });
  }

  function take(): Promise<void> | null {
    if (running >= slots) return wait();
    running++;
    return null;
  }

  return {
    take,
    leave,
    async enter(work) {
      const turn = take();
      if (turn !== null) await turn;
      try {
        return await work();
      } finally {
        leave();
      }
    },
    get running() {
      return running;
    },
    get waiting() {
      return waiting;
    },
  };
}
