import { AppError } from '@baobab/core';

/**
 * Lets at most `slots` tasks run at once. The others wait in order; they are refused when more than `maxWaiting` wait,
 * or after they have waited for `timeout` milliseconds. The driver's own queues never shrink while they are in use, so
 * nothing may ever wait inside it.
 */
export interface Gate {
  /**
   * Takes a slot: immediately (null), or when the turn of the returned place comes. The turn rejects when it does not
   * come in time.
   *
   * @throws `storage.unavailable` when too many wait
   */
  take(): Place | null;
  /**
   * Adds a waiter to a place whose turn has not come; they share its slot. @throws `storage.unavailable` when too many
   * wait
   */
  join(place: Place): void;
  /** Returns a slot, which goes to the place that has waited longest. */
  leave(): void;
  /** Runs `work` with a slot. */
  enter<T>(work: () => Promise<T>): Promise<T>;
  readonly running: number;
  readonly waiting: number;
}

/** A place in the queue. */
export interface Place {
  readonly turn: Promise<void>;
  /** Whether its turn has come. */
  readonly hasBegun: boolean;
  /** Whether its turn did not come in time. */
  readonly isRefused: boolean;
  /** How many waiters share it. */
  size: number;
}

class Waiting implements Place {
  readonly turn: Promise<void>;
  readonly since = performance.now();
  hasBegun = false;
  isRefused = false;
  size = 1;
  next: Waiting | null = null;
  #resolve!: () => void;
  #reject!: (error: AppError) => void;

  constructor() {
    this.turn = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  begin(): void {
    this.hasBegun = true;
    this.#resolve();
  }

  refuse(): void {
    this.isRefused = true;
    this.#reject(new AppError('storage.unavailable', { detail: 'no connection to the database became free in time' }));
  }
}

/** How often waiting places are checked within `timeout`. */
const LOOKS = 20;

interface GateOptions {
  readonly slots: number;
  readonly maxWaiting: number;
  readonly timeout: number;
}

export function createGate({ slots, maxWaiting, timeout }: GateOptions): Gate {
  let running = 0;
  let waiting = 0;
  let head: Waiting | null = null;
  let tail: Waiting | null = null;
  let isWatched = false;

  function shift(first: Waiting): void {
    head = first.next;
    // Otherwise one entry in the old generation of the heap would keep all later ones alive.
    first.next = null;
    if (head === null) tail = null;
    waiting -= first.size;
  }

  function leave(): void {
    const next = head;
    if (next === null) {
      running--;
      return;
    }
    shift(next);
    next.begin(); // takes over the slot
  }

  function look(): void {
    isWatched = false;
    const latest = performance.now() - timeout;
    while (head !== null && head.since <= latest) {
      const late = head;
      shift(late);
      late.refuse();
    }
    if (head !== null) lookLater();
  }

  function lookLater(): void {
    if (isWatched) return;
    isWatched = true;
    setTimeout(look, timeout / LOOKS).unref();
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
    lookLater();
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
