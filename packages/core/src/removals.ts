import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { Secrets } from './ports/secrets.ts';
import type { Storage } from './ports/storage/storage.ts';
import type { Timers } from './ports/timers.ts';
import { latestEnd } from './time/waits.ts';

/** Maximum number of rows removed per transaction. */
const PART = 500;
/** Time for which a caller waits until everything is removed, in milliseconds. */
const PATIENCE_MS = 5_000;
/** Limits of the pause between two parts, which is as long as the first of them took. In milliseconds. */
const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 250;
/** Name of the job. Only one node has its lease. */
const JOB = 'removals';
/** Lease of the job, in milliseconds. If a node crashes, another one continues after this time. */
const LEASE_MS = 30_000;
const RENEWAL_MS = LEASE_MS / 2;
const INTERRUPTED = 'the removal of data was interrupted; housekeeping will retry';

export interface RemovalsDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly timers: Timers;
  readonly logger: Logger;
}

export type Removals = ReturnType<typeof createRemovals>;

/**
 * Maintains the storage in parts with pauses, so that other requests do not wait for it: above all, removes the data of
 * users, collections and groups whose removal has begun.
 */
export function createRemovals({ storage, clock, secrets, timers, logger }: RemovalsDeps) {
  let running: Promise<void> | null = null;
  let isStopped = false;

  const pause = (milliseconds: number) => new Promise<void>((resolve) => void timers.after(milliseconds, resolve));

  /** Removes a part and pauses. Resolves to true if anything is left. */
  async function removePart(): Promise<boolean> {
    const began = clock.now();
    const isLeft = (await storage.maintain?.(PART)) ?? false;
    if (isLeft) await pause(Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, clock.now() - began)));
    return isLeft;
  }

  async function removeAll(): Promise<void> {
    for (let isLeft = true; isLeft && !isStopped; ) {
      const began = clock.now();
      const run = { name: JOB, holder: secrets.token() };
      if (!(await storage.jobs.claim(run, began, began + LEASE_MS, latestEnd(began, LEASE_MS)))) return;
      try {
        while (isLeft && !isStopped && clock.now() < began + RENEWAL_MS) isLeft = await removePart();
      } finally {
        await storage.jobs.finish(run, clock.now());
      }
    }
  }

  function warn(err: unknown): void {
    if (!isStopped) logger.warn({ err }, INTERRUPTED);
  }

  /** Continues in the background, unless this node already does so, or another one has the lease. */
  function resume(): Promise<void> {
    running ??= removeAll()
      .catch(warn)
      .finally(() => {
        running = null;
      });
    return running;
  }

  return {
    /**
     * Removes the rest of all removals that have begun. Resolves when it is done, or after a few seconds and then
     * continues in the background. Never rejects, because removals are finished later.
     */
    async finish(): Promise<void> {
      const end = clock.now() + PATIENCE_MS;
      try {
        while (await removePart()) {
          if (clock.now() < end) continue;
          logger.info({}, 'what is left of a removal is removed in the background');
          void resume();
          return;
        }
      } catch (err) {
        warn(err);
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
