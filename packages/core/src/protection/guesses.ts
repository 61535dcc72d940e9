import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { LockoutStore } from '../ports/storage/lockouts.ts';
import type { RateLimit } from '../ports/storage/rate-limits.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { attemptAt, type Guess, limitGuesses, type RateLimiter } from './rate-limits.ts';

const MINUTE = 60_000;
/** How long a right guess among concurrent ones still counts. Milliseconds. */
const EXCUSED_AFTER_MS = 10_000;

/** What is guessed at. */
export type GuessedSecret = 'password' | 'factor' | 'email' | 'login code';

/** At whose secret somebody guesses, and from where. */
export interface GuessTarget {
  /** The key of the account's name. */
  readonly key: string;
  /** The client's network address. */
  readonly address: string;
  /** What identifies known clients, which have a budget apart from strangers. Null for clients that the account does not know. */
  readonly knownAs: string | null;
}

/** Counts wrong guesses at the secrets of accounts. */
export interface Guesses {
  /**
   * Examines a guess, for which `check` resolves to null when it is wrong. Guesses are counted before they are examined;
   * right ones, and those that the service failed to examine, are not counted in the end.
   *
   * @throws `auth.locked`, `rate.limited`, the errors of `check`
   */
  examine<T>(target: GuessTarget, check: () => Promise<T | null>): Promise<Guess<T>>;
  /** Ends the lock-out of an account, whose password somebody entitled has just set. */
  forgive(key: string): Promise<void>;
}

export interface GuessesDeps {
  readonly storage: { readonly lockouts: LockoutStore };
  readonly limiter: RateLimiter;
  readonly settings: SettingsReader;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/**
 * A lock-out counts guesses at an account by all clients that it does not know, and those of each known client apart: so
 * strangers cannot lock a known client out. Names are stored as keyed digests.
 */
export function createGuesses({ storage, limiter, settings, secrets, clock }: GuessesDeps): Guesses {
  const digestOf = (name: string) => secrets.digest(`lockout/${name}`);

  async function countedAt<T>(name: string, limit: RateLimit, check: () => Promise<T | null>): Promise<Guess<T>> {
    const key = digestOf(name);
    const now = clock.now();
    const { isAllowed, place, count, ends } = await storage.lockouts.announce(key, now, limit);
    if (!isAllowed) throw new AppError('auth.locked', { retryAfter: Math.max(1, Math.ceil((ends - now) / 1000)) });
    let isWrong = false;
    try {
      const result = await check();
      isWrong = result === null;
      return { result, isLast: isWrong && count >= limit.times };
    } finally {
      const then = clock.now();
      if (!isWrong) await storage.lockouts.excuse(key, place, then, then + EXCUSED_AFTER_MS);
    }
  }

  return {
    async examine(target, check) {
      const { key, address, knownAs } = target;
      const values = await settings.current();
      const limit = { times: values['lockout.failures'], window: values['lockout.minutes'] * MINUTE };
      if (limit.times === 0) return limitGuesses(limiter, attemptAt('login', key, address), check);
      if (knownAs !== null) return countedAt(`client/${knownAs}`, limit, check);
      return examineStranger(address, () => countedAt(`account/${key}`, limit, check));
    },
    forgive: (key) => storage.lockouts.forget(digestOf(`account/${key}`)),
  };

  /** The limit of the network comes first: beyond it nothing is stored for the names that are tried, however many. */
  async function examineStranger<T>(address: string, guess: () => Promise<Guess<T>>): Promise<Guess<T>> {
    let outcome: Guess<T> = { result: null, isLast: false };
    const { isLast } = await limitGuesses(limiter, { 'login/address': address }, async () => {
      outcome = await guess();
      return outcome.result;
    });
    return { ...outcome, isLast: outcome.isLast || isLast };
  }
}

/** For load tests. */
export const NO_LOCKOUT: Guesses = {
  async examine(_target, check) {
    return { result: await check(), isLast: false };
  },
  forgive: async () => undefined,
};
