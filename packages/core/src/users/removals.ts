import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { Timers } from '../ports/timers.ts';

/** Users to whom fewer rows than this belong are removed in one transaction. */
const MANY = 500;
/** Rows that one transaction removes of other users. */
const PART = 500;
/** How long a caller waits until everything is removed. Milliseconds. */
const PATIENCE_MS = 5_000;
/** Limits of the pause between two transactions, which is as long as the first of them took. Milliseconds. */
const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 250;
/** Users of whom the background removes a part in turn. */
const IN_TURN = 100;
/** The job of which only one node has the lease. */
const JOB = 'removals of users';
/** If a node dies, another one goes on after this time. Milliseconds. */
const LEASE_MS = 30_000;
const RENEWAL_MS = LEASE_MS / 2;
const INTERRUPTED = 'the removal of a user was interrupted; housekeeping will retry';

/** `begun`: the user is out of sight, and what belongs to them is removed in parts. */
export type RemovalOutcome = 'removed' | 'begun' | 'missing';

export interface RemovalsDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly timers: Timers;
  readonly logger: Logger;
}

/** In a transaction: removes a user, or begins to if too much belongs to them for one transaction. */
export async function removeOrBegin(stores: Stores, userId: string): Promise<RemovalOutcome> {
  const { users, announcer } = stores;
  const isLarge = (await users.weigh(userId, MANY)) >= MANY;
  const isDone = await (isLarge ? users.beginRemoval(userId) : users.remove(userId));
  if (!isDone) return 'missing';
  await announcer.announce({ topic: 'user', key: userId });
  return isLarge ? 'begun' : 'removed';
}

export type Removals = ReturnType<typeof createRemovals>;

/** Removes in parts what belongs to users whose removal has begun, so that nobody waits for it. */
export function createRemovals({ storage, clock, secrets, timers, logger }: RemovalsDeps) {
  let running: Promise<void> | null = null;
  let isStopped = false;

  const pause = (milliseconds: number) => new Promise<void>((resolve) => void timers.after(milliseconds, resolve));

  /** Removes a part and pauses. Resolves to whether anything is left. */
  async function removePart(userId: string): Promise<boolean> {
    const began = clock.now();
    const isLeft = await storage.users.removePart(userId, PART);
    if (isLeft) await pause(Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, clock.now() - began)));
    return isLeft;
  }

  /** Removes a part; resolves to false if that fails. */
  async function tryPart(userId: string): Promise<boolean> {
    try {
      await removePart(userId);
      return true;
    } catch (err) {
      if (!isStopped) logger.warn({ err, userId }, INTERRUPTED);
      return false;
    }
  }

  /** A part of each user in turn, so that small ones are not behind large ones. Resolves to whether all are gone. */
  async function removeUntil(end: number): Promise<boolean> {
    const failed = new Set<string>();
    const isTime = () => !isStopped && clock.now() < end;
    while (isTime()) {
      const begun = (await storage.users.removalsBegun(IN_TURN)).filter((id) => !failed.has(id));
      if (begun.length === 0) return true;
      for (const id of begun) if (isTime() && !(await tryPart(id))) failed.add(id);
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

  /** Goes on in the background, unless this node does so already, or another one has the lease. */
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
     * Removes what belongs to a user whose removal has begun. Resolves when it is done or after a few seconds; then it goes
     * on in the background. Never rejects: what has begun is finished later.
     */
    async finish(userId: string): Promise<void> {
      const end = clock.now() + PATIENCE_MS;
      try {
        while (await removePart(userId)) {
          if (clock.now() < end) continue;
          logger.info({ userId }, 'the documents and files of a removed user are removed in the background');
          void resume();
          return;
        }
      } catch (err) {
        logger.warn({ err, userId }, INTERRUPTED);
      }
    },

    /** Housekeeping: goes on with removals that were interrupted. Resolves when all are done, or after a few seconds. */
    async resume(): Promise<void> {
      await Promise.race([resume(), pause(PATIENCE_MS)]);
    },

    /** Begins no further part. */
    stop(): void {
      isStopped = true;
    },
  };
}
