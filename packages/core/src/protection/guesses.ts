import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { LockoutStore } from '../ports/storage/lockouts.ts';
import type { RateLimit } from '../ports/storage/rate-limits.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { attemptAt, type Guess, limitGuesses, type RateLimiter } from './rate-limits.ts';

const MINUTE = 60_000;
/** Time for which a right guess among concurrent ones still counts, in milliseconds. */
const EXCUSED_AFTER_MS = 10_000;

/** Secrets under attack. */
export type GuessedSecret = 'password' | 'factor' | 'email' | 'login code';

/** The account under attack and the source of the attempts. */
export interface GuessTarget {
  /** Key of the account's name. */
  readonly key: string;
  /** Network address of the client. */
  readonly address: string;
  /** Identity of known clients, which have a separate budget. Null for clients unknown to the account. */
  readonly knownAs: string | null;
}

/** Counts wrong guesses at the secrets of accounts. */
export interface Guesses {
  /**
   * Checks a guess. `check` resolves to null if it is wrong. Guesses are counted before they are checked; right ones,
   * and those that could not be checked, do not count afterwards.
   *
   * @throws `auth.locked`, `rate.limited`, the errors of `check`
   */
  examine<T>(target: GuessTarget, check: () => Promise<T | null>): Promise<Guess<T>>;
  /** Ends the lockout of an account whose password has just been reset or set. */
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
 * Implements account lockout. Guesses at an account are counted for all unknown clients together, and separately for
 * known clients, so that strangers cannot lock a known client out. Names are stored as keyed digests.
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

  /**
   * Checks a guess by an unknown client. The limit of the network comes first, so that beyond it nothing is stored for
   * any number of names.
   */
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
