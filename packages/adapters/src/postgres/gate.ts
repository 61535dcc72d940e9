import { AppError } from '@baobab/core';

/**
 * Lets at most `slots` pieces of work run at once; the others wait in order, and beyond `maxWaiting` they are refused.
 * The driver's own queues never shrink while they do not drain, so nothing may ever wait inside it.
 */
export interface Gate {
  /** Takes a slot: at once (null), or when it is the turn of the place. @throws `storage.unavailable` when too many wait */
  take(): Place | null;
  /** One more waits for the slot of a place whose turn has not come. @throws `storage.unavailable` when too many wait */
  join(place: Place): void;
  /** Gives a slot back, to whoever waits longest. */
  leave(): void;
  /** Runs `work` with a slot. */
  enter<T>(work: () => Promise<T>): Promise<T>;
  readonly running: number;
  readonly waiting: number;
}

/** In the queue. */
export interface Place {
  readonly turn: Promise<void>;
  /** Whether its turn has come. */
  readonly hasBegun: boolean;
  /** How many wait in it. */
  size: number;
}

class Waiting implements Place {
  readonly turn: Promise<void>;
  hasBegun = false;
  size = 1;
  next: Waiting | null = null;
  #resolve!: () => void;

  constructor() {
    this.turn = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  begin(): void {
    this.hasBegun = true;
    this.#resolve();
  }
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
    waiting -= next.size;
    next.begin(); // takes over the slot
  }

  function assertMoreMayWait(): void {
    if (waiting < maxWaiting) return;
    throw new AppError('storage.unavailable', { detail: 'too many requests are waiting for the database' });
  }

  function wait(): Place {
    assertMoreMayWait();
    waiting++;
    const place = new Waiting();
    if (tail === null) head = place;
    else tail.next = place;
    tail = place;
    return place;
  }

  function take(): Place | null {
    if (running >= slots) return wait();
    running++;
    return null;
  }

  return {
    take,
    join(place) {
      assertMoreMayWait();
      waiting++;
      place.size++;
    },
    leave,
    async enter(work) {
      const place = take();
      if (place !== null) await place.turn;
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
