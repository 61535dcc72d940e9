import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { Timers } from '../ports/timers.ts';
import type { TimeWatch } from '../time/time-watch.ts';
import { latestEnd, steadyTime } from '../time/waits.ts';

/** Lease of a run. If it is not renewed in this time, another node runs the job. In milliseconds. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** Number of missed runs up to which they are counted. */
const MAX_MISSED = 10_000;
/** Prefix of the jobs of extensions in the table of jobs. */
const PREFIX = 'extension/';

/** The time for which a job runs. */
export interface Tick {
  /** In milliseconds. */
  readonly at: number;
  /** Number of earlier times at which the job should have run and did not, since its last run. */
  readonly missed: number;
}

export interface Schedule {
  /** Unique. */
  readonly name: string;
  /** The times as text. Other times make another job, so that a changed schedule takes effect immediately. */
  readonly times: string;
  /** Returns the first time after `time`, in milliseconds. */
  next(time: number): number;
  /** Returns the last time until `time`, in milliseconds. */
  last(time: number): number;
  /**
   * Runs the job. Logs its failures, and resolves to false after one.
   *
   * @param isLost returns true if another node may run the job now
   */
  run(tick: Tick, isLost: () => boolean): Promise<boolean>;
}

export interface SchedulesDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly timeWatch: Pick<TimeWatch, 'latest'>;
}

export type Schedules = ReturnType<typeof createSchedules>;

const keyOf = ({ name, times }: Schedule) => `${PREFIX}${name} ${times}`;

/** Returns the last time until `now`, and the number of those since `from` that it stands for. */
function tickOf({ next, last }: Schedule, from: number, now: number): Tick {
  const at = last(now);
  let missed = 0;
  for (let time = last(from); time < at && missed < MAX_MISSED; time = next(time)) missed++;
  return { at, missed };
}

/** Jobs that run at certain times: each time on one node, and never twice at once. */
export function createSchedules({ storage, clock, secrets, timers, logger, timeWatch }: SchedulesDeps) {
  const { jobs } = storage;
  let schedules: readonly Schedule[] = [];
  const running = new Map<string, Promise<void>>();
  let stopped = false;

  const steady = () => steadyTime(clock);

  /** Renews the lease until the returned function is called. It returns true if the lease was held all the time. */
  function hold(run: { readonly name: string; readonly holder: string }) {
    let until = steady() + LEASE_MS;
    let isHeld = true;
    let cancel: () => void = () => undefined;
    const renew = () => {
      const next = steady() + LEASE_MS;
      jobs
        .extend(run, clock.now() + LEASE_MS)
        .then((extended) => {
          isHeld &&= extended;
          if (extended) until = next;
        })
        .catch((err: unknown) => logger.warn({ err, job: run.name }, 'lease of a job not renewed, retrying'))
        .finally(begin);
    };
    const begin = () => {
      if (isHeld) cancel = timers.after(RENEW_MS, renew);
    };
    begin();
    return {
      isLost: () => !isHeld || steady() >= until,
      end: () => cancel(),
    };
  }

  async function runOnce(schedule: Schedule, due: number): Promise<void> {
    const now = clock.now();
    const run = { name: keyOf(schedule), holder: secrets.token() };
    if (!(await jobs.claim(run, now, now + LEASE_MS))) return;
    const lease = hold(run);
    const tick = tickOf(schedule, due, now);
    if (tick.missed > 0) {
      const { name } = schedule;
      logger.warn({ job: name, missed: tick.missed, at: new Date(tick.at).toISOString() }, 'runs of a job were missed');
    }
    let isDone = false;
    try {
      isDone = await schedule.run(tick, lease.isLost);
    } finally {
      lease.end();
      // The stop may have caused the failure, so another node, or the next start, runs the job again.
      await jobs.finish(run, isDone || !stopped ? schedule.next(tick.at) : due);
    }
  }

  /**
   * Corrects a due time that was stored while the clock was fast. Resolves to the right one. By the latest possible
   * time, so that a slow clock brings no run forward.
   */
  async function correctDue(schedule: Schedule, due: number): Promise<number> {
    const now = timeWatch.latest();
    const next = schedule.next(now);
    const latest = Math.max(latestEnd(next, 0), latestEnd(now, LEASE_MS));
    if (due <= latest) return due;
    const run = { name: keyOf(schedule), holder: secrets.token() };
    if (await jobs.claim(run, now, now + LEASE_MS, latest)) await jobs.finish(run, next);
    return next;
  }

  /** Begins the run of a due job. Resolves to the time at which it is due next. */
  async function begin(schedule: Schedule): Promise<number> {
    const { name } = schedule;
    const due = await jobs.due(keyOf(schedule));
    if (due === null) {
      const first = schedule.next(clock.now());
      await jobs.plan(keyOf(schedule), first);
      return first;
    }
    if (due > clock.now()) return correctDue(schedule, due);
    if (!running.has(name)) {
      const work = runOnce(schedule, due)
        .catch((err: unknown) => logger.warn({ err, job: name }, 'job not run, retrying'))
        .finally(() => running.delete(name));
      running.set(name, work);
    }
    return clock.now() + LEASE_MS;
  }

  return {
    /** Sets the jobs of this process. */
    declare(declared: readonly Schedule[]): void {
      schedules = declared;
    },

    /** Begins the due jobs, without waiting for them. Resolves to the time of the next call. @throws `storage.unavailable` */
    async run(): Promise<number> {
      let next = Number.POSITIVE_INFINITY;
      for (const schedule of stopped ? [] : schedules) next = Math.min(next, await begin(schedule));
      return next;
    },

    /** Resolves when no job runs. */
    async idle(): Promise<void> {
      await Promise.all(running.values());
    },

    /** Begins no more jobs. Resolves when those that run have ended. */
    async stop(): Promise<void> {
      stopped = true;
      await Promise.all(running.values());
    },
  };
}
