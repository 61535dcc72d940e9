import { chainEvents } from './audit/chain.ts';
import { type ExistingOwners, removeOrphans } from './blobs/orphans.ts';
import type { PoliciesReader } from './collections/policies.ts';
import { removeOrphanedChildren } from './documents/cascades.ts';
import { removeLeftFiles } from './documents/left-files.ts';
import type { Erasures } from './erasure/erasures.ts';
import { removeAbsentGuests } from './guests/absent.ts';
import type { Blobs } from './ports/blobs.ts';
import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { Secrets } from './ports/secrets.ts';
import type { Storage } from './ports/storage/storage.ts';
import type { Removals } from './removals.ts';
import { lifetimeOf, timeoutOf } from './sessions/session-tokens.ts';
import type { SettingsReader } from './settings/settings.ts';
import type { TimeWatch } from './time/time-watch.ts';
import { latestEnd } from './time/waits.ts';
import { ADMINISTRATOR_NAME } from './users/administrator.ts';
import { sweepDeliveries } from './webhooks/sweep.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Number of rows removed by one statement, small enough to keep other statements from waiting long. */
const BATCH = 1000;
/** Maximum number of batches per run. The rest waits for the next run. */
const MAX_BATCHES = 100;
/** Interval at which a node checks for due jobs, in milliseconds. */
export const HOUSEKEEPING_INTERVAL_MS = MINUTE;
/**
 * Period of jobs that run at every check, in milliseconds. Slightly less than the interval, so that the job is due
 * again when its node next checks.
 */
const EVERY_TIME = HOUSEKEEPING_INTERVAL_MS - 1_000;
/**
 * Time after which the node of an unfinished job counts as dead and another node may claim the job, in milliseconds.
 */
const LEASE = 5 * MINUTE;

/**
 * Period of the blob job, in milliseconds. Long, because listing all blobs costs one request to the blob store per
 * thousand blobs.
 */
const BLOBS_PERIOD = 6 * 60 * MINUTE;

/** A periodic removal job. May run on several nodes concurrently. */
export interface Sweep {
  /** Stored, so it must not change while the job exists. */
  readonly name: string;
  /** Minimum time from the start of one run to the start of the next, in milliseconds. */
  readonly period: number;
  /**
   * Removes up to `limit`. Resolves to the number removed; fewer than `limit` if nothing is left.
   *
   * @param now earliest possible time: see `TimeWatch`
   */
  remove(now: number, limit: number): Promise<number>;
}

export interface HousekeepingDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly settings: SettingsReader;
  readonly logger: Logger;
  readonly removals: Removals;
  readonly erasures: Pick<Erasures, 'eraseDue'>;
  readonly policies: PoliciesReader;
  readonly timeWatch: Pick<TimeWatch, 'earliest' | 'latest' | 'record'>;
}

const existingOwners = ({ files, assets }: Storage): ExistingOwners => ({
  files: (ids) => files.existing(ids),
  assets: (ids) => assets.existing(ids),
  // Their upload or restore was interrupted.
  restores: async () => [],
});

/** Returns all housekeeping jobs. */
function sweepsOf({
  storage,
  blobs,
  settings,
  clock,
  secrets,
  removals,
  erasures,
  policies,
}: HousekeepingDeps): readonly Sweep[] {
  return [
    {
      name: 'expired rows',
      period: EVERY_TIME,
      remove: (now, limit) => storage.removeExpired(now, limit),
    },
    {
      name: 'webhook deliveries',
      period: EVERY_TIME,
      remove: (now, limit) => sweepDeliveries(storage, now, limit),
    },
    {
      name: 'blobs',
      period: BLOBS_PERIOD,
      // Walks over all blobs, regardless of `limit`.
      async remove(now) {
        const first = await storage.users.findByKey(ADMINISTRATOR_NAME);
        return first === null ? 0 : removeOrphans(blobs, existingOwners(storage), { now, since: first.created });
      },
    },
    {
      name: 'sessions',
      period: EVERY_TIME,
      async remove(now, limit) {
        const values = await settings.current();
        const limits = [timeoutOf(values), lifetimeOf(values)].filter((one) => one > 0);
        // Twice that time, because the last use is recorded with a delay. Ended sessions are rejected anyway.
        return limits.length === 0 ? 0 : storage.sessions.removeUnused(now - 2 * Math.min(...limits), limit);
      },
    },
    {
      name: 'changes',
      period: EVERY_TIME,
      async remove(now, limit) {
        const days = (await settings.current())['changes.retention.days'];
        return storage.changes.removeBefore(now - days * DAY, limit);
      },
    },
    {
      name: 'audit events',
      period: EVERY_TIME,
      async remove(now, limit) {
        await chainEvents(storage, secrets);
        const days = (await settings.current())['audit.retention.days'];
        return days === 0 ? 0 : storage.audit.removeBefore(now - days * DAY, limit);
      },
    },
    {
      name: 'guests',
      period: EVERY_TIME,
      remove: (now) => removeAbsentGuests({ storage, settings, clock }, now),
    },
    {
      name: 'erasures',
      period: EVERY_TIME,
      remove: (now) => erasures.eraseDue(now),
    },
    {
      name: 'children of removed documents',
      period: EVERY_TIME,
      remove: (_now, limit) => removeOrphanedChildren({ storage, clock, policies, settings }, limit),
    },
    {
      name: 'files of removed documents',
      period: EVERY_TIME,
      remove: (_now, limit) => removeLeftFiles({ storage, blobs }, limit),
    },
    {
      name: 'interrupted removals',
      period: EVERY_TIME,
      remove: () => removals.resume().then(() => 0),
    },
    // Last, because continuing an interrupted build of an index may take long.
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
  /** Runs every job now, due or not. Resolves to the number of removed entries. */
  sweep(): Promise<number>;
  /**
   * Runs the due jobs that no other node has claimed. If a node crashes, another one runs its job after a few minutes.
   * A failed job is logged, does not stop the others, and is retried in its next period.
   */
  runDue(): Promise<void>;
}

/** Removes expired data. Each job runs once per period, regardless of the number of nodes. */
export function createHousekeeping(deps: HousekeepingDeps, sweeps = sweepsOf(deps)): Housekeeping {
  const { storage, clock, secrets, logger, timeWatch } = deps;

  async function runIfClaimed(sweep: Sweep): Promise<void> {
    const began = clock.now();
    const run = { name: sweep.name, holder: secrets.token() };
    const latest = latestEnd(began, Math.max(sweep.period, LEASE));
    if (!(await storage.jobs.claim(run, began, began + LEASE, latest))) return;
    try {
      await inBatches(sweep, timeWatch.earliest());
    } catch (err) {
      logger.warn({ err, job: sweep.name }, 'housekeeping job failed');
    }
    await storage.jobs.finish(run, began + sweep.period);
  }

  /** To be called before the jobs. Not one of them, because a clock that was fast postpones jobs. Never rejects. */
  async function watchTime(): Promise<void> {
    try {
      await timeWatch.record();
      const corrected = await storage.correctTimes(clock.now(), timeWatch.latest());
      if (corrected > 0) logger.warn({ corrected }, 'corrected times that were stored while the clock was fast');
    } catch (err) {
      logger.warn({ err }, 'time not watched, retrying');
    }
  }

  return {
    async sweep() {
      await watchTime();
      let removed = 0;
      for (const sweep of sweeps) removed += await inBatches(sweep, timeWatch.earliest());
      return removed;
    },
    async runDue() {
      await watchTime();
      for (const sweep of sweeps) await runIfClaimed(sweep);
    },
  };
}
