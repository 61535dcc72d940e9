import { randomBytes } from 'node:crypto';
import type { SqlExecutor } from './statements/executor.ts';

/** Size of the test write, in bytes: about that of the largest documents by default. Random, so it cannot be compressed. */
const BYTES = 768 * 1024;
const WRITE = `insert into jobs (name, holder, due) values ('write test', ?1, 0)
  on conflict (name) do update set holder = excluded.holder`;
const REMOVE = `delete from jobs where name = 'write test'`;

export interface WriteHealth {
  /** Reports the error of a statement or a commit. */
  failed(error: unknown): void;
  /** @throws the failure of a test write, while writes fail for lack of space */
  assert(): Promise<void>;
}

/**
 * Reports a database that still answers reads after a write failed because its disk is full or broken. Writes nothing
 * until then. Since a server that is not ready may receive no more requests, test writes show when it has recovered.
 *
 * @param isDiskFault true for errors of writes because of the disk
 */
export function createWriteHealth(executor: SqlExecutor, isDiskFault: (error: unknown) => boolean): WriteHealth {
  let hasFailed = false;
  let testing: Promise<void> | null = null;

  async function test(): Promise<void> {
    await executor.change(WRITE, [randomBytes(BYTES).toString('base64')]);
    await executor.change(REMOVE, []);
    hasFailed = false;
  }

  return {
    failed(error) {
      if (isDiskFault(error)) hasFailed = true;
    },
    async assert() {
      if (!hasFailed) return;
      testing ??= test().finally(() => {
        testing = null;
      });
      await testing;
    },
  };
}
