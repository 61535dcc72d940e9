import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, type Signal } from '@baobab/core';
import { isAwaited } from '../signals.ts';
import { FEED_POSITION } from '../sql/changes/feed-position.ts';
import { type Connection, isBusy } from './database.ts';

/** Maximum number of jobs that share one commit. Further ones wait for the next. */
const MAX_JOBS_PER_COMMIT = 512;

/** Interval between retries for another process's lock, in milliseconds. */
const LOCK_PAUSE_MS = 1;
const LOCK_LIMIT_MS = 30_000;
/** Pause between two commits in which other processes can begin theirs, in milliseconds. */
const COURTESY_MS = 2;

const pauseOf = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Runs statements. Signals added to `signals` are delivered after the commit. */
type Work<T> = (signals: Signal[]) => T | Promise<T>;

interface Job {
  readonly work: Work<unknown>;
  /** True if it runs several statements, and so needs a savepoint. */
  readonly isCompound: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const NONE: readonly Signal[] = [];

/** Called around a commit, before its acknowledgement. */
export interface CommitHooks {
  /** Called inside the transaction, immediately before the commit. */
  committing?(): void;
  committed(): void;
  /** Called with the error of each job and commit. */
  failed?(error: unknown): void;
  /** Called after a rollback of the transaction. */
  abandoned?(): void;
  deliver(signal: Signal): void;
  /** Resolves when other processes have received the delivered signals, and never rejects. Absent if there are none. */
  heard?(): Promise<void>;
}

/** A finished job that waits for the commit. */
interface Done {
  readonly settle: () => void;
  readonly signals: readonly Signal[];
}

/** The only writer of the database. */
export interface Writer {
  run<T>(work: Work<T>, options: { isCompound: boolean }): Promise<T>;
  /** Number of jobs that have not begun. */
  readonly waiting: number;
  /** Runs `work`, which writes on another connection, while this one does not write. */
  pause(work: () => Promise<void>): Promise<void>;
  /** Resolves when all jobs so far are committed. */
  drain(): Promise<void>;
  close(): void;
}

/**
 * Group commit: jobs of one turn of the event loop share one transaction and one sync to disk, and are acknowledged
 * after it. A hundred durable inserts that arrive together cost as many syncs as one: one.
 *
 * @param isAlone true if no other process writes to the file; otherwise others get their turn after each commit
 * @param lockLimit maximum wait for another process that locks the file, in milliseconds
 */
export function createWriter(
  connection: Connection,
  { committing, committed, failed, abandoned, deliver, heard }: CommitHooks,
  { isAlone = true, lockLimit = LOCK_LIMIT_MS } = {},
): Writer {
  // Waiting inside a statement would block the event loop, so `begin` waits outside.
  connection.exec('pragma busy_timeout = 0');
  const pauseBetweenCommits = isAlone ? nextTurn : () => pauseOf(COURTESY_MS);
  const queue: Job[] = [];
  /** Work that needs this writer to pause. Its errors go to its callers. */
  const pauses: Array<() => Promise<void>> = [];
  let busy: Promise<void> | null = null;
  let closed = false;

  /** @throws if the job's own savepoint cannot be undone */
  async function attempt(job: Job): Promise<Done> {
    const signals: Signal[] = [];
    if (job.isCompound) connection.run('savepoint job', []);
    try {
      const value = await job.work(signals);
      if (job.isCompound) connection.run('release job', []);
      return { settle: () => job.resolve(value), signals };
    } catch (error) {
      failed?.(error);
      if (job.isCompound) connection.exec('rollback to job; release job');
      return { settle: () => job.reject(error), signals: NONE };
    }
  }

  /** Begins a transaction as soon as no other process writes. @throws `storage.unavailable` after `lockLimit` */
  async function begin(): Promise<void> {
    const deadline = performance.now() + lockLimit;
    for (;;) {
      try {
        connection.run('begin immediate', []);
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
        await pauseOf(LOCK_PAUSE_MS);
      }
    }
  }

  /** Jobs that arrive while another process writes join this commit. */
  async function commitNext(): Promise<void> {
    try {
      await begin();
    } catch (error) {
      failed?.(error);
      for (const job of queue.splice(0, MAX_JOBS_PER_COMMIT)) job.reject(error);
      return;
    }
    const jobs = queue.splice(0, MAX_JOBS_PER_COMMIT);
    const done: Done[] = [];
    try {
      for (const job of jobs) done.push(await attempt(job));
      committing?.();
      connection.run('commit', []);
    } catch (error) {
      failed?.(error);
      abandon();
      for (const job of jobs) job.reject(error);
      return;
    }
    committed();
    acknowledge(done);
  }

  /** Acknowledges jobs. Only those with announcements wait for the other processes to receive them. */
  function acknowledge(done: readonly Done[]): void {
    for (const { signals } of done) for (const signal of signals) deliver(signal);
    const patient: Done[] = [];
    for (const one of done) {
      if (heard !== undefined && one.signals.some(isAwaited)) patient.push(one);
      else one.settle();
    }
    if (patient.length === 0) return;
    void heard?.().then(() => {
      for (const { settle } of patient) settle();
    });
  }

  function abandon(): void {
    try {
      connection.exec('rollback');
    } catch {
      // The error that led here has already ended the transaction.
    }
    abandoned?.();
  }

  async function work(): Promise<void> {
    // Lets the other requests of this turn join.
    await nextTurn();
    while (queue.length > 0 || pauses.length > 0) {
      for (const pause of pauses.splice(0)) await pause();
      if (queue.length > 0) await commitNext();
      if (queue.length > 0) await pauseBetweenCommits();
    }
    busy = null;
  }

  return {
    run: (job, { isCompound }) =>
      new Promise((resolve, reject) => {
        if (closed) {
          reject(new AppError('storage.unavailable', { detail: 'the database is closed' }));
          return;
        }
        queue.push({ work: job, isCompound, resolve: resolve as (value: unknown) => void, reject });
        busy ??= work();
      }),
    get waiting() {
      return queue.length;
    },
    pause: (job) =>
      new Promise((resolve, reject) => {
        if (closed) {
          reject(new AppError('storage.unavailable', { detail: 'the database is closed' }));
          return;
        }
        pauses.push(async () => {
          try {
            await job();
            committed();
            resolve();
          } catch (error) {
            reject(error);
          }
        });
        busy ??= work();
      }),
    async drain() {
      while (busy !== null) await busy;
    },
    close() {
      closed = true;
    },
  };
}

const READ = 'select position from feed_state';
const STORE = 'update feed_state set position = ?1';

/** Positions of the change feed: each transaction that adds to the feed takes the next one. */
export interface Feed {
  /** Stores the position of the transaction, immediately before its commit. */
  store(): void;
  /** Ends a committed or abandoned transaction. Returns true if it added to the feed. */
  end(): boolean;
}

export function createFeed(connection: Connection): Feed {
  let position: number | null = null;
  connection.define(FEED_POSITION, () => {
    position ??= (connection.get<{ position: number }>(READ, [])?.position ?? 0) + 1;
    return BigInt(position); // a number would become a float
  });
  return {
    store() {
      if (position !== null) connection.run(STORE, [position]);
    },
    end() {
      const isUsed = position !== null;
      position = null;
      return isUsed;
    },
  };
}
