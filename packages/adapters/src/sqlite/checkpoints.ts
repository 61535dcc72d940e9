import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { AppError, type Logger } from '@baobab/core';
import type { Connection } from './database.ts';

/** Pages in the WAL from which a commit checkpoints it: SQLite's default. */
const USUAL_PAGES = 1_000;
/** Pages that remain only while a reader holds an old snapshot for long. */
const MANY_PAGES = 4_000;
const LOOK_MS = 1_000;
/** Size to which a longer WAL file is truncated when it restarts, in bytes. */
const USUAL_LENGTH = 16_777_216;

/** A string, so that a build needs no separate file for the thread. */
const WORKER = `
  const { workerData, parentPort } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(workerData);
  database.exec('pragma synchronous = full');
  const checkpoint = database.prepare('pragma wal_checkpoint(passive)');
  parentPort.on('message', (isWanted) => {
    if (isWanted) return parentPort.postMessage(checkpoint.get());
    database.close();
    parentPort.close();
  });
`;

/** Number of WAL pages that are in the database file already, and of those that are not. */
interface Progress {
  readonly taken: number;
  readonly left: number;
}

/** Another process is checkpointing. */
const UNKNOWN: Progress = { taken: -1, left: Number.POSITIVE_INFINITY };

/** @see https://www.sqlite.org/pragma.html#pragma_wal_checkpoint */
const progressOf = ({ log, checkpointed }: Readonly<Record<string, number>>): Progress =>
  log === undefined || checkpointed === undefined || log < 0
    ? UNKNOWN
    : { taken: checkpointed, left: log - checkpointed };

interface Thread {
  /** Checkpoints all pages that no reader holds back, unless another process is checkpointing. */
  checkpoint(): Promise<Progress>;
  close(): Promise<void>;
}

function startThread(path: string): Thread {
  const worker = new Worker(WORKER, { eval: true, workerData: path });
  const failed = new Promise<never>((_, reject) => worker.once('error', reject));
  failed.catch(() => undefined); // reported by the call that waits for it
  const ended = once(worker, 'exit').catch(() => undefined);
  return {
    async checkpoint() {
      worker.postMessage(true);
      const [row] = await Promise.race([once(worker, 'message'), failed]);
      return progressOf(row);
    },
    async close() {
      worker.postMessage(false);
      await ended;
    },
  };
}

export interface CheckpointOptions {
  readonly writing: Connection;
  readonly logger: Logger;
  /** Interval between WAL checks, in milliseconds. One second by default. */
  readonly lookMs?: number | undefined;
}

export interface Checkpoints {
  close(): Promise<void>;
}

/**
 * Checkpoints a long WAL on a thread, without blocking writers. While a reader holds an old snapshot, as a backup
 * does, SQLite cannot checkpoint, and would afterwards do all of it within one commit.
 *
 * @see https://www.sqlite.org/wal.html#ckpt
 */
export function createCheckpoints(path: string, { writing, logger, lookMs = LOOK_MS }: CheckpointOptions): Checkpoints {
  const closing = new AbortController();
  /** A separate connection, since the writing one may have open transactions for long. */
  let looking: DatabaseSync | null = null;

  writing.exec(`pragma journal_size_limit = ${USUAL_LENGTH}`);

  const pause = () => pauseFor(lookMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);

  function progress(): Progress {
    looking ??= new DatabaseSync(path);
    // SQLite before 3.51 runs a passive checkpoint here, like those of commits.
    return progressOf(looking.prepare('pragma wal_checkpoint(noop)').get() as Record<string, number>);
  }

  /** Checkpoints until a commit can do the rest, or until writers add pages as fast as they are checkpointed. */
  async function takeIn({ checkpoint }: Thread): Promise<void> {
    let before = UNKNOWN;
    while (!closing.signal.aborted) {
      const now = await checkpoint();
      const isMoving = now.taken > before.taken;
      if (now.left <= USUAL_PAGES || (isMoving && now.left > before.left / 2)) return;
      if (!isMoving) await pause();
      before = now;
    }
  }

  async function look(): Promise<void> {
    const { left } = progress();
    if (left < MANY_PAGES || left === UNKNOWN.left) return;
    const thread = startThread(path);
    try {
      writing.exec('pragma wal_autocheckpoint = 0');
      await takeIn(thread);
    } finally {
      await thread.close();
      writing.exec(`pragma wal_autocheckpoint = ${USUAL_PAGES}`);
    }
  }

  async function watch(): Promise<void> {
    for (await pause(); !closing.signal.aborted; await pause()) {
      await look().catch((cause: unknown) => {
        const err = new AppError('storage.unavailable', { cause }); // reported once a minute
        logger.warn({ err }, 'WAL checkpoint failed, retrying');
      });
    }
  }
  const watching = watch();

  return {
    async close() {
      closing.abort();
      await watching;
      if (looking?.isOpen) looking.close();
    },
  };
}
