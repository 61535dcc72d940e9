import { availableParallelism } from 'node:os';
import { AppError, createSemaphore, type Gauges, type Passwords } from '@baobab/core';
import argon2 from 'argon2';

export interface Argon2Options {
  /** Memory per hash, in KiB. */
  readonly memoryCost: number;
  /** Number of passes over that memory. */
  readonly timeCost: number;
  /** Maximum hashes computed in parallel. They run in libuv's thread pool, off the event loop. */
  readonly concurrency: number;
  /** Maximum waiting hashes; further ones are refused. */
  readonly maxWaiting: number;
}

/**
 * OWASP's recommendation for argon2id: 19 MiB, two passes. There are as many threads as cores: the system shares the
 * cores with the request thread, so that signed-in users hardly wait (bench/LOGINS.md).
 */
export const ARGON2_DEFAULTS: Argon2Options = {
  memoryCost: 19_456,
  timeCost: 2,
  concurrency: availableParallelism(),
  maxWaiting: 256,
};

const PHC = /^\$argon2(?:id|i|d)\$v=\d+\$[mtp=\d,]+\$[\w+/]{11,}\$[\w+/]{16,}$/;

/** Hashes passwords with Argon2id (RFC 9106) and a random salt, as PHC strings. */
export function createArgon2Passwords(options: Argon2Options = ARGON2_DEFAULTS, gauges?: Gauges): Passwords {
  const { memoryCost, timeCost, concurrency, maxWaiting } = options;
  const semaphore = createSemaphore({
    running: concurrency,
    waiting: maxWaiting,
    refusal: () => new AppError('passwords.busy'),
  });
  gauges?.add({ name: 'passwords_waiting', help: 'Passwords that wait to be hashed', read: () => semaphore.waiting });

  const compute = (password: string) =>
    argon2.hash(password, { type: argon2.argon2id, memoryCost, timeCost, parallelism: 1 });

  /** Hash to verify against for an unknown user, so that both cases take the same time; computed once. */
  let decoy: Promise<string> | null = null;

  async function matches(hash: string | null, password: string): Promise<boolean> {
    if (hash === null) {
      decoy ??= compute('');
      await argon2.verify(await decoy, `${password}.`);
      return false;
    }
    return PHC.test(hash) && argon2.verify(hash, password);
  }

  return {
    hash: (password) => semaphore.run(() => compute(password)),
    verify: (hash, password) => semaphore.run(() => matches(hash, password)),
  };
}
