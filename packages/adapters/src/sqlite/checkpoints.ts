import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from '@baobab/core';
import type { Connection } from './database.ts';

/** A commit that leaves so many pages in the log takes them into the data itself: SQLite's own default. */
const USUAL_PAGES = 1_000;
/** So many are left only when somebody reads an old state for long. */
const MANY_PAGES = 4_000;
const LOOK_MS = 1_000;
/** The log takes up so much of the disk for good. Bytes. */
const USUAL_LENGTH = 16_777_216;
/** More is given back so much at a time, and seldom: that takes milliseconds of a commit. Bytes, and looks at it. */
const CUT = 4_194_304;
const LOOKS_BETWEEN_CUTS = 10;

/** As a text it needs no file that a build would have to carry along. */
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

/** Pages of the log that are in the data too, and those that are not. */
interface Progress {
  readonly taken: number;
  readonly left: number;
}

/** Another process is at it. */
const UNKNOWN: Progress = { taken: -1, left: Number.POSITIVE_INFINITY };

/** @see https://www.sqlite.org/pragma.html#pragma_wal_checkpoint */
const progressOf = ({ log, checkpointed }: Readonly<Record<string, number>>): Progress =>
  log === undefined || checkpointed === undefined || log < 0
    ? UNKNOWN
    : { taken: checkpointed, left: log - checkpointed };

interface Thread {
  /** Takes into the data what no reader keeps out of it, unless another process is at it. */
  checkpoint(): Promise<Progress>;
  close(): Promise<void>;
}

function startThread(path: string): Thread {
  const worker = new Worker(WORKER, { eval: true, workerData: path });
  const failed = new Promise<never>((_, reject) => worker.once('error', reject));
  failed.catch(() => undefined); // told by what is waiting for it
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
  /** How often it is looked at, milliseconds; a second when undefined. */
  readonly lookMs?: number | undefined;
}

export interface Checkpoints {
  close(): Promise<void>;
}

/**
 * Takes a log that has become long into the data on a thread, while others go on writing. While somebody reads an old
 * state, as a backup does, SQLite cannot do it, and would afterwards do all of it inside of one commit.
 *
 * @see https://www.sqlite.org/wal.html#ckpt
 */
export function createCheckpoints(path: string, { writing, logger, lookMs = LOOK_MS }: CheckpointOptions): Checkpoints {
  const closing = new AbortController();
  /** Another than the one that writes, whose transactions may be open for long. */
  let looking: DatabaseSync | null = null;
  /** The log's, in bytes, when it was looked at last. */
  let length = 0;
  let looksSinceCut = 0;

  const pause = () => pauseFor(lookMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);

  function progress(): Progress {
    looking ??= new DatabaseSync(path);
    // Before SQLite 3.51 it is a passive checkpoint, like those of commits.
    return progressOf(looking.prepare('pragma wal_checkpoint(noop)').get() as Record<string, number>);
  }

  /** What the log keeps when it begins anew, however long that takes: a little less, unless it was cut just now. */
  async function limitLength(): Promise<void> {
    const before = length;
    length = (await stat(`${path}-wal`).catch(() => null))?.size ?? 0;
    if (length < before) looksSinceCut = 0;
    const cut = looksSinceCut < LOOKS_BETWEEN_CUTS ? 0 : CUT;
    writing.exec(`pragma journal_size_limit = ${Math.max(USUAL_LENGTH, length - cut)}`);
  }

  /** Until so little is left that a commit may do it, or as much is written meanwhile as is taken in. */
  async function takeIn({ checkpoint }: Thread): Promise<void> {
    let before = UNKNOWN;
    while (!closing.signal.aborted) {
      const now = await checkpoint();
      await limitLength();
      const isMoving = now.taken > before.taken;
      if (now.left <= USUAL_PAGES || (isMoving && now.left > before.left / 2)) return;
      if (!isMoving) await pause();
      before = now;
    }
  }

  async function look(): Promise<void> {
    await limitLength();
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
      looksSinceCut++;
      await look().catch((err: unknown) => logger.warn({ err }, 'the log of the database could not be taken in'));
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
