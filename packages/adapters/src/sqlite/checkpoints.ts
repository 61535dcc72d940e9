import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from '@baobab/core';
import type { Connection } from './database.ts';

/** A commit that leaves so many pages in the log takes them into the data itself: SQLite's own default. */
const USUAL_PAGES = 1_000;
/** Some pages of 4 KiB more than that. A log that is longer is so because somebody reads an old state. Bytes. */
const LONG_LOG = 16_777_216;
const LOOK_MS = 1_000;

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

interface Thread {
  /** Takes into the data what no reader keeps out of it, unless another process is at it. */
  checkpoint(): Promise<Progress>;
  close(): Promise<void>;
}

const UNKNOWN: Progress = { taken: -1, left: Number.POSITIVE_INFINITY };

function startThread(path: string): Thread {
  const worker = new Worker(WORKER, { eval: true, workerData: path });
  const failed = new Promise<never>((_, reject) => worker.once('error', reject));
  failed.catch(() => undefined); // told by what is waiting for it
  const ended = once(worker, 'exit').catch(() => undefined);
  return {
    async checkpoint() {
      worker.postMessage(true);
      const [{ log, checkpointed }] = await Promise.race([once(worker, 'message'), failed]);
      return log < 0 ? UNKNOWN : { taken: checkpointed, left: log - checkpointed };
    },
    async close() {
      worker.postMessage(false);
      await ended;
    },
  };
}

async function lengthOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0;
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
export function createCheckpoints(path: string, writing: Connection, logger: Logger): Checkpoints {
  const closing = new AbortController();
  /** How long it was when it had been taken in: it begins anew with the next commit. */
  let settled = 0;
  // A log that was long is cut when it begins anew: it takes up no disk, and its length tells how it is.
  writing.exec(`pragma journal_size_limit = ${LONG_LOG}`);

  const pause = () => pauseFor(LOOK_MS, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);

  /** Until so little is left that a commit may do it, or as much is written meanwhile as is taken in. */
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
    const length = await lengthOf(`${path}-wal`);
    settled = Math.min(settled, length);
    if (length <= Math.max(LONG_LOG, settled)) return;
    const thread = startThread(path);
    try {
      writing.exec('pragma wal_autocheckpoint = 0');
      await takeIn(thread);
      settled = await lengthOf(`${path}-wal`);
    } finally {
      await thread.close();
      writing.exec(`pragma wal_autocheckpoint = ${USUAL_PAGES}`);
    }
  }

  async function watch(): Promise<void> {
    for (await pause(); !closing.signal.aborted; await pause()) {
      await look().catch((err: unknown) => logger.warn({ err }, 'the log of the database could not be taken in'));
    }
  }
  const watching = watch();

  return {
    async close() {
      closing.abort();
      await watching;
    },
  };
}
