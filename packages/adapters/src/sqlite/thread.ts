import { Worker } from 'node:worker_threads';
import { AppError } from '@baobab/core';
import { TO_LOWER_CASE } from './criteria.ts';

/** https://www.sqlite.org/rescode.html#busy */
const BUSY = 5;

/** Runs statements on a separate connection. A string, so that a build needs no separate file for the thread. */
const WORKER = `
  const { workerData, parentPort } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const { path, timeout, statements } = workerData;
  const database = new DatabaseSync(path, { timeout });
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma temp_store = memory');
  // For indexes. The other functions are only used by filters.
  database.function('${TO_LOWER_CASE}', { deterministic: true }, (text, _unicode) => String(text).toLowerCase());
  try {
    database.exec('begin immediate');
    database.exec(statements);
    database.exec('commit');
  } catch (error) {
    if (error.errcode === undefined || (error.errcode & 0xff) !== ${BUSY}) throw error;
    parentPort.postMessage('busy');
  }
  database.close();
`;

/** Maximum wait of the thread for other writing processes, in milliseconds. */
const TIMEOUT_MS = 60_000;

/**
 * Runs slow statements in one transaction, without blocking the event loop.
 *
 * @throws `storage.unavailable` if another process writes for too long
 */
export function runOnThread(path: string, statements: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, {
      eval: true,
      workerData: { path, statements, timeout: TIMEOUT_MS },
    });
    worker.once('message', () =>
      reject(new AppError('storage.unavailable', { detail: 'another process has been writing for too long' })),
    );
    worker.once('error', reject);
    worker.once('exit', (code) => (code === 0 ? resolve() : reject(new Error('database thread exited'))));
  });
}
