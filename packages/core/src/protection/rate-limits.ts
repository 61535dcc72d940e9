import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { RateLimitStore } from '../ports/storage/rate-limits.ts';

interface Limit {
  /** How often within a window. */
  readonly times: number;
  /** Length of the window, milliseconds. */
  readonly window: number;
}

const MINUTE = 60_000;

/**
 * How often each thing may be tried, by the address it comes from and by the account it concerns. Log-ins count
 * only when they fail, also those by social networks. An address may be a whole school: its limits are wide; those of accounts are what stops guessing.
 */
const LIMITS = {
  'login/address': { times: 300, window: 5 * MINUTE },
  'login/account': { times: 30, window: 5 * MINUTE },
  'signUp/address': { times: 600, window: 10 * MINUTE },
  'signUp/account': { times: 120, window: 10 * MINUTE },
  'social/address': { times: 300, window: 5 * MINUTE },
  'resetRequest/address': { times: 60, window: 15 * MINUTE },
  'resetRequest/account': { times: 10, window: 15 * MINUTE },
  'push/account': { times: 300, window: 5 * MINUTE },
  'resetSubmit/address': { times: 200, window: 15 * MINUTE },
} as const satisfies Record<string, Limit>;

export type LimitedThing = keyof typeof LIMITS;

/** What is counted: by thing, the address or account. */
export type Attempt = Partial<Readonly<Record<LimitedThing, string>>>;

export interface RateLimiter {
  /**
   * Counts an attempt in all its windows.
   *
   * @throws `rate.limited` with the seconds to wait, when there were too many in one of them
   */
  take(attempt: Attempt): Promise<void>;
  /** Takes back what was counted: it went well. */
  giveBack(attempt: Attempt): Promise<void>;
}

export interface RateLimiterDeps {
  readonly rateLimits: RateLimitStore;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/** Counts in the storage, so that all nodes count together. Addresses and names are stored as keyed digests only. */
export function createRateLimiter({ rateLimits, secrets, clock }: RateLimiterDeps): RateLimiter {
  const entries = (attempt: Attempt) =>
    Object.entries(attempt).map(([thing, of]) => ({
      ...(LIMITS[thing as LimitedThing] as Limit),
      key: secrets.digest(`rate limit/${thing}/${of}`),
    }));

  return {
    async take(attempt) {
      const now = clock.now();
      for (const { key, times, window } of entries(attempt)) {
        const { count, ends } = await rateLimits.take(key, now, window);
        if (count > times) throw new AppError('rate.limited', { retryAfter: Math.ceil((ends - now) / 1000) });
      }
    },
    async giveBack(attempt) {
      const now = clock.now();
      for (const { key } of entries(attempt)) await rateLimits.giveBack(key, now);
    },
  };
}

/**
 * Counts a guess that was wrong, for which `guess` resolves to null. A right one is given back, and so is one that
 * failed because of the service: nobody is locked out because it was busy.
 *
 * @throws `rate.limited`, what `guess` throws
 */
export async function countGuess<T>(
  limiter: RateLimiter,
  attempt: Attempt,
  guess: () => Promise<T | null>,
): Promise<T | null> {
  await limiter.take(attempt);
  let isWrong = false;
  try {
    const result = await guess();
    isWrong = result === null;
    return result;
  } finally {
    if (!isWrong) await limiter.giveBack(attempt);
  }
}

/** For load tests. */
export const NO_LIMITS: RateLimiter = {
  take: async () => undefined,
  giveBack: async () => undefined,
};
