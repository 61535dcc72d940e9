import { AppError, type CommonPasswords } from '@baobab/core';
import { createWorkerPool } from '../worker-pool.ts';
import type { Question } from './password-worker.ts';

export interface CommonPasswordsOptions {
  /** Maximum waiting passwords; further ones are refused. */
  readonly maxWaiting: number;
}

const DEFAULTS: CommonPasswordsOptions = { maxWaiting: 64 };
/**
 * Number of examined characters, in UTF-16 units: the time grows with a power of the length, and common passwords are
 * shorter.
 */
const MAX_LENGTH = 40;
/** Far longer than any password of that length takes. */
const JOB_LIMIT_MS = 30_000;
/** Time without passwords after which the thread with the lists ends. */
const IDLE_MS = 60_000;

// Tests run the TypeScript sources; the build has `.js` files.
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './password-worker.ts' : './password-worker.js',
  import.meta.url,
);

/** Checks passwords with the lists and estimates of zxcvbn-ts, on a thread that starts with the first password. */
export function createCommonPasswords({ maxWaiting }: CommonPasswordsOptions = DEFAULTS): CommonPasswords {
  const pool = createWorkerPool<Question, boolean>({
    entry: ENTRY,
    size: 1,
    limitMs: JOB_LIMIT_MS,
    idleMs: IDLE_MS,
    waiting: maxWaiting,
  });

  async function ask(question: Question): Promise<boolean> {
    try {
      return await pool.run(question, []);
    } catch (cause) {
      throw new AppError('passwords.busy', { cause });
    }
  }

  return {
    isCommon: (password, about) =>
      ask({ password: password.slice(0, MAX_LENGTH), about: about.map((text) => text.slice(0, MAX_LENGTH)) }),
    close: () => pool.close(),
  };
}
