import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { Secrets } from './ports/secrets.ts';
import type { Storage } from './ports/storage/storage.ts';
import type { Timers } from './ports/timers.ts';

/** Number of rows below which everything is removed in one transaction. */
export const MANY_ROWS = 500;
/** Maximum number of rows removed per transaction in larger removals. */
const PART = 500;
/** Time for which a caller waits until everything is removed, in milliseconds. */
const PATIENCE_MS = 5_000;
/** Limits of the pause between two transactions, which is as long as the first of them took. In milliseconds. */
const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 250;
/** Maximum number of each kind removed in alternation in the background. */
const IN_TURN = 100;
/** Name of the job. Only one node has its lease. */
const JOB = 'removals';
/** Lease of the job, in milliseconds. If a node crashes, another one continues after this time. */
const LEASE_MS = 30_000;
const RENEWAL_MS = LEASE_MS / 2;
const INTERRUPTED = 'a removal was interrupted; housekeeping will retry';

const KINDS = ['users', 'collections', 'groups'] as const;

/** A user, a collection or a group whose removal has begun. */
export interface Removing {
  readonly kind: (typeof KINDS)[number];
  readonly id: string;
}

export interface RemovalsDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly timers: Timers;
  readonly logger: Logger;
}

export type Removals = ReturnType<typeof createRemovals>;

/**
 * Removes in parts the data of users, collections and groups whose removal has begun, so that other requests do not
 * wait for it.
 */
export function createRemovals({ storage, clock, secrets, timers, logger }: RemovalsDeps) {
  let running: Promise<void> | null = null;
  let isStopped = false;

  const pause = (milliseconds: number) => new Promise<void>((resolve) => void timers.after(milliseconds, resolve));

  /** Removes a part and pauses. Resolves to true if anything is left. */
  async function removePart({ kind, id }: Removing): Promise<boolean> {
    const began = clock.now();
    const isLeft = await storage[kind].removePart(id, PART);
    if (isLeft) await pause(Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, clock.now() - began)));
    return isLeft;
  }

  /** Removes a part. Resolves to false if that fails. */
  async function tryPart(removing: Removing): Promise<boolean> {
    try {
      await removePart(removing);
      return true;
    } catch (err) {
      if (!isStopped) logger.warn({ err, ...removing }, INTERRUPTED);
      return false;
    }
  }

  async function allBegun(): Promise<Removing[]> {
    const all: Removing[] = [];
    for (const kind of KINDS) for (const id of await storage[kind].removalsBegun(IN_TURN)) all.push({ kind, id });
    return all;
  }

  /**
   * Removes one part of each in turn, so that small ones do not wait for large ones. Resolves to true if all are gone.
   */
  async function removeUntil(end: number): Promise<boolean> {
    const failed = new Set<string>();
    const isTime = () => !isStopped && clock.now() < end;
    while (isTime()) {
      const begun = (await allBegun()).filter(({ id }) => !failed.has(id));
      if (begun.length === 0) return true;
      for (const one of begun) if (isTime() && !(await tryPart(one))) failed.add(one.id);
    }
    return false;
  }

  async function removeAll(): Promise<void> {
    for (let isDone = false; !isDone && !isStopped; ) {
      const began = clock.now();
      const run = { name: JOB, holder: secrets.token() };
      if (!(await storage.jobs.claim(run, began, began + LEASE_MS))) return;
      try {
        isDone = await removeUntil(began + RENEWAL_MS);
      } finally {
        await storage.jobs.finish(run, clock.now());
      }
    }
  }

  /** Continues in the background, unless this node already does so, or another one has the lease. */
  function resume(): Promise<void> {
    running ??= removeAll()
      .catch((err: unknown) => {
        if (!isStopped) logger.warn({ err }, INTERRUPTED);
      })
      .finally(() => {
        running = null;
      });
    return running;
  }

  return {
    /**
     * Removes the rest of those whose removal has begun. Resolves when it is done, or after a few seconds and then
     * continues in the background. Never rejects, because removals are finished later.
     */
    async finish(begun: readonly Removing[]): Promise<void> {
      const end = clock.now() + PATIENCE_MS;
      try {
        for (const removing of begun) {
          while (await removePart(removing)) {
            if (clock.now() < end) continue;
            logger.info({ begun }, 'what is left of a removal is removed in the background');
            void resume();
            return;
          }
        }
      } catch (err) {
        logger.warn({ err, begun }, INTERRUPTED);
      }
    },

    /** Continues interrupted removals. Resolves when all are done, or after a few seconds. */
    async resume(): Promise<void> {
      await Promise.race([resume(), pause(PATIENCE_MS)]);
    },

    /** Starts no further part. */
    stop(): void {
      isStopped = true;
    },
  };
}
