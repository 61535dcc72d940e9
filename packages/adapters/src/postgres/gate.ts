import { AppError } from '@baobab/core';

/**
 * Limits the number of concurrent tasks to `slots`. The others wait in order. They are refused if more than
 * `maxWaiting` wait, or after a wait of `timeout` milliseconds. The driver's queues never shrink while in use, so
 * nothing may ever wait inside it.
 */
export interface Gate {
  /**
   * Takes a slot: immediately (null), or at the turn of the returned place. The turn rejects if it does not come in
   * time.
   *
   * @throws `storage.unavailable` if too many wait; the error of `assertMayTake`
   */
  take(): QueuePlace | null;
  /**
   * Adds a waiter to a place whose turn has not come. They share its slot. @throws `storage.unavailable` if too many
   * wait
   */
  join(place: QueuePlace): void;
  /** Releases a slot, which passes to the place that has waited longest. */
  leave(): void;
  /** Runs `work` with a slot. */
  enter<T>(work: () => Promise<T>): Promise<T>;
  readonly running: number;
  readonly waiting: number;
}

/** A place in the queue. */
export interface QueuePlace {
  readonly turn: Promise<void>;
  /** True once its turn has come. */
  readonly hasBegun: boolean;
  /** True if its turn did not come in time. */
  readonly isRefused: boolean;
  /** Number of waiters that share it. */
  size: number;
}

class Waiting implements QueuePlace {
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

/** Number of checks of waiting places within `timeout`. */
const LOOKS = 20;

interface GateOptions {
  readonly slots: number;
  readonly maxWaiting: number;
  readonly timeout: number;
  /** Called before a slot is taken. @throws if the caller must not take one */
  readonly assertMayTake?: () => void;
}

const nothing = () => undefined;

export function createGate({ slots, maxWaiting, timeout, assertMayTake = nothing }: GateOptions): Gate {
  let running = 0;
  let waiting = 0;
  let head: Waiting | null = null;
  let tail: Waiting | null = null;
  let isWatched = false;

  function shift(first: Waiting): void {
    head = first.next;
    // Otherwise a single entry in the old generation of the heap would keep all later ones alive.
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

  function wait(): QueuePlace {
    assertMoreMayWait();
    waiting++;
    const place = new Waiting();
    if (tail === null) head = place;
    else tail.next = place;
    tail = place;
    lookLater();
    return place;
  }

  function take(): QueuePlace | null {
    assertMayTake();
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
