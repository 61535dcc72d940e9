import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, type Signal } from '@baobab/core';
import { isAwaited } from '../signals.ts';
import { type Connection, isBusy } from './database.ts';

/** Jobs that share one commit at most; further ones wait for the next. */
const MAX_JOBS_PER_COMMIT = 512;

/** How often a lock of another process is retried. Milliseconds. */
const LOCK_PAUSE_MS = 1;
const LOCK_LIMIT_MS = 30_000;
/** The pause between two commits in which other processes can begin theirs. Milliseconds. */
const COURTESY_MS = 2;

const pauseOf = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Runs statements. The signals that it adds to `signals` are delivered after the commit. */
type Work<T> = (signals: Signal[]) => T | Promise<T>;

interface Job {
  readonly work: Work<unknown>;
  /** Whether it runs several statements, and so needs a savepoint of its own. */
  readonly isCompound: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const NONE: readonly Signal[] = [];

/** Called around a commit, before it is acknowledged. */
export interface CommitHooks {
  /** Right before the commit, inside the transaction. */
  committing?(): void;
  committed(): void;
  /** The transaction was rolled back. */
  abandoned?(): void;
  deliver(signal: Signal): void;
  /** Resolves when other processes have received the delivered signals, and never rejects; absent: there are none. */
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
  /** The number of jobs that have not begun. */
  readonly waiting: number;
  /** Runs `work`, which writes on another connection, while this one does not write. */
  pause(work: () => Promise<void>): Promise<void>;
  /** Resolves when all jobs so far have been committed. */
  drain(): Promise<void>;
  close(): void;
}

/**
 * Group commit: jobs of one turn of the event loop share one transaction and one sync to disk, and are acknowledged
 * after it. A single durable insert costs a sync; a hundred that arrive together cost one sync too.
 *
 * @param isAlone whether no other process writes to the file; otherwise others get their turn after each commit
 * @param lockLimit how long to wait for another process that locks the file, in milliseconds
 */
export function createWriter(
  connection: Connection,
  { committing, committed, abandoned, deliver, heard }: CommitHooks,
  { isAlone = true, lockLimit = LOCK_LIMIT_MS } = {},
): Writer {
  // Waiting inside a statement would block the event loop, so `begin` waits outside.
  connection.exec('pragma busy_timeout = 0');
  const pauseBetweenCommits = isAlone ? nextTurn : () => pauseOf(COURTESY_MS);
  const queue: Job[] = [];
  /** Work that needs this writer to pause; its errors go to its callers. */
  const pauses: Array<() => Promise<void>> = [];
  let busy: Promise<void> | null = null;
  let closed = false;

  /** @throws when not even its own savepoint can be undone */
  async function attempt(job: Job): Promise<Done> {
    const signals: Signal[] = [];
    if (job.isCompound) connection.run('savepoint job', []);
    try {
      const value = await job.work(signals);
      if (job.isCompound) connection.run('release job', []);
      return { settle: () => job.resolve(value), signals };
    } catch (error) {
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
      abandon();
      for (const job of jobs) job.reject(error);
      return;
    }
    committed();
    acknowledge(done);
  }

  /** Only jobs that announced something wait until other processes have received it. */
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
      // The error that led here has ended the transaction already.
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
