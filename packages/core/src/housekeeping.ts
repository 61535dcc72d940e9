import { type ExistingOwners, removeOrphans } from './blobs/orphans.ts';
import type { Blobs } from './ports/blobs.ts';
import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { Secrets } from './ports/secrets.ts';
import type { Storage } from './ports/storage/storage.ts';
import type { SettingsReader } from './settings/settings.ts';
import { ADMINISTRATOR_NAME } from './users/administrator.ts';
import { fillSkeletons } from './users/skeletons.ts';

const MINUTE = 60_000;
/** Rows removed at a time, so that nobody waits long behind it. */
const BATCH = 1000;
/** Batches in one go: what is left then waits for the next. */
const MAX_BATCHES = 100;
/** How often a node looks what is due. Milliseconds. */
export const HOUSEKEEPING_INTERVAL_MS = MINUTE;
/** A little less than the interval: a node that looks in time finds its own job due again. */
const EVERY_TIME = HOUSEKEEPING_INTERVAL_MS - 1_000;
/** Who has not said by then that it is done has died, and somebody else does it. Milliseconds. */
const LEASE = 5 * MINUTE;

/** For so long after its end one can look what became of a message. */
const KEPT_MESSAGES = 24 * 60 * MINUTE;
/** A walk over all blobs costs a request to the store for each thousand of them. Milliseconds. */
const BLOBS_PERIOD = 6 * 60 * MINUTE;

/** Something that has to be removed from time to time. It may run on several nodes at once without harm. */
export interface Sweep {
  /** Stored: it stays the same as long as the job does. */
  readonly name: string;
  /** From the beginning of one run to that of the next, at least. Milliseconds. */
  readonly period: number;
  /** Removes up to `limit`. Resolves to how many; fewer than `limit` when nothing is left. */
  remove(now: number, limit: number): Promise<number>;
}

export interface HousekeepingDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly settings: SettingsReader;
  readonly logger: Logger;
}

const existingOwners = ({ files, assets }: Storage): ExistingOwners => ({
  files: (ids) => files.existing(ids),
  assets: (ids) => assets.existing(ids),
});

/** Everything that is swept. */
export function sweepsOf({ storage, blobs, settings }: HousekeepingDeps): readonly Sweep[] {
  return [
    {
      name: 'reset tokens',
      period: EVERY_TIME,
      remove: (now, limit) => storage.resetTokens.removeExpired(now, limit),
    },
    {
      name: 'rate limits',
      period: EVERY_TIME,
      remove: (now, limit) => storage.rateLimits.removeEnded(now, limit),
    },
    {
      name: 'idempotency keys',
      period: EVERY_TIME,
      remove: (now, limit) => storage.idempotency.removeExpired(now, limit),
    },
    {
      name: 'push messages',
      period: EVERY_TIME,
      remove: (now, limit) => storage.outbox.removeExpired(now - KEPT_MESSAGES, limit),
    },
    {
      // Names that nodes of an older program give while they still serve.
      name: 'skeletons',
      period: EVERY_TIME,
      remove: (_now, limit) => fillSkeletons(storage, limit),
    },
    {
      name: 'blobs',
      period: BLOBS_PERIOD,
      // A walk over all of them, however many it finds.
      async remove(now) {
        const first = await storage.users.findByKey(ADMINISTRATOR_NAME);
        return first === null ? 0 : removeOrphans(blobs, existingOwners(storage), { now, since: first.created });
      },
    },
    {
      name: 'sessions',
      period: EVERY_TIME,
      async remove(now, limit) {
        const timeout = (await settings.current())['session_tokens.timeout'] * MINUTE;
        // Twice the lifetime: use is recorded coarsely, and nothing depends on their being gone.
        return timeout === 0 ? 0 : storage.sessions.removeUnused(now - 2 * timeout, limit);
      },
    },
    // The last: to build what was cut short may take long.
    {
      name: 'indexes',
      period: EVERY_TIME,
      async remove() {
        await storage.indexes.reconcile();
        return 0;
      },
    },
  ];
}

async function inBatches(sweep: Sweep, now: number): Promise<number> {
  let removed = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const count = await sweep.remove(now, BATCH);
    removed += count;
    if (count < BATCH) break;
  }
  return removed;
}

export interface Housekeeping {
  /** Removes all that has expired, whoever's turn it is. Resolves to how much it was. */
  sweep(): Promise<number>;
  /**
   * Runs what is due and what no other node is at. A job whose node has died is run by another after some minutes; one
   * that failed is reported, keeps no other from running, and is tried again in its next period.
   */
  runDue(): Promise<void>;
}

/** Removes what nobody needs any more: each thing once in its period, whatever the number of nodes. */
export function createHousekeeping(deps: HousekeepingDeps, sweeps = sweepsOf(deps)): Housekeeping {
  const { storage, clock, secrets, logger } = deps;

  async function acquireSchemaLock(sweep: Sweep): Promise<void> {
    const began = clock.now();
    const run = { name: sweep.name, holder: secrets.token() };
    if (!(await storage.jobs.claim(run, began, began + LEASE))) return;
    try {
      await inBatches(sweep, began);
    } catch (err) {
      logger.warn({ err, job: sweep.name }, 'a job of the housekeeping failed');
    }
    await storage.jobs.finish(run, began + sweep.period);
  }

  return {
    async sweep() {
      let removed = 0;
      for (const sweep of sweeps) removed += await inBatches(sweep, clock.now());
      return removed;
    },
    async runDue() {
      for (const sweep of sweeps) await acquireSchemaLock(sweep);
    },
  };
}
