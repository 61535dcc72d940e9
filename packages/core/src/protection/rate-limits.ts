import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { RateLimit, RateLimitStore } from '../ports/storage/rate-limits.ts';

const MINUTE = 60_000;

/**
 * How often each thing may be tried: from one network, at one account from one network (`pair`), and at one account
 * from anywhere. Log-ins count only when they fail, also those by social networks.
 *
 * A network may be a whole school, so its limit is wide. The limit of the pair stops guessing, and locks out nobody but
 * those in that network; the limit of the account, several times as wide, bounds guessing from many networks.
 */
const LIMITS = {
  'login/address': { times: 300, window: 5 * MINUTE },
  'login/pair': { times: 30, window: 5 * MINUTE },
  'login/account': { times: 150, window: 5 * MINUTE },
  'signUp/address': { times: 600, window: 10 * MINUTE },
  'signUp/account': { times: 120, window: 10 * MINUTE },
  'social/address': { times: 300, window: 5 * MINUTE },
  'resetRequest/address': { times: 60, window: 15 * MINUTE },
  'resetRequest/pair': { times: 5, window: 15 * MINUTE },
  'resetRequest/account': { times: 15, window: 15 * MINUTE },
  'push/account': { times: 300, window: 5 * MINUTE },
  'resetSubmit/address': { times: 200, window: 15 * MINUTE },
} as const satisfies Record<string, RateLimit>;

export type LimitedThing = keyof typeof LIMITS;

/** What is counted: by thing, the network, account or pair of both. Taken in the order of the members. */
export type Attempt = Partial<Readonly<Record<LimitedThing, string>>>;

/** An account and the network from which it is tried. */
export const pairOf = (account: string, address: string) => `${address} ${account}`;

/**
 * What an attempt at an account counts as. The network comes first: refused there, it leaves no trace under the names
 * that were tried, however many they are. The account comes last: what is refused to a network takes nothing from it.
 */
export function attemptAt(thing: 'login' | 'resetRequest', account: string, address: string): Attempt {
  return {
    [`${thing}/address`]: address,
    [`${thing}/pair`]: pairOf(account, address),
    [`${thing}/account`]: account,
  };
}

export interface Taken {
  /** Whether one of the windows has no room for another attempt. */
  readonly isLast: boolean;
}

export interface RateLimiter {
  /**
   * Counts an attempt in all its windows. One that is refused counts in none.
   *
   * @throws `rate.limited` with the seconds to wait, when one of them is full
   */
  take(attempt: Attempt): Promise<Taken>;
  /** Takes back what was counted: it went well. */
  giveBack(attempt: Attempt): Promise<void>;
}

export interface RateLimiterDeps {
  readonly rateLimits: RateLimitStore;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/** Counts in the storage, so that all nodes count together. Networks and names are stored as keyed digests only. */
export function createRateLimiter({ rateLimits, secrets, clock }: RateLimiterDeps): RateLimiter {
  const entries = (attempt: Attempt) =>
    Object.entries(attempt).map(([thing, of]) => ({
      limit: LIMITS[thing as LimitedThing] as RateLimit,
      key: secrets.digest(`rate limit/${thing}/${of}`),
    }));

  return {
    async take(attempt) {
      const now = clock.now();
      const counted: string[] = [];
      let isLast = false;
      for (const { key, limit } of entries(attempt)) {
        const { taken, count, ends } = await rateLimits.take(key, now, limit);
        if (!taken) {
          for (const other of counted) await rateLimits.giveBack(other, now);
          throw new AppError('rate.limited', { retryAfter: Math.max(1, Math.ceil((ends - now) / 1000)) });
        }
        counted.push(key);
        isLast ||= count >= limit.times;
      }
      return { isLast };
    },
    async giveBack(attempt) {
      const now = clock.now();
      for (const { key } of entries(attempt)) await rateLimits.giveBack(key, now);
    },
  };
}

/** What came of a guess. */
export interface Guess<T> {
  /** Null when it was wrong. */
  readonly result: T | null;
  /** Whether it was wrong, and the last one for now: those that follow are refused, right or wrong. */
  readonly isLast: boolean;
}

/**
 * Counts a guess that was wrong, for which `guess` resolves to null. A right one is given back, and so is one that
 * failed because of the service: nobody is locked out because it was busy.
 *
 * @throws `rate.limited`, what `guess` throws
 */
export async function limitGuesses<T>(
  limiter: RateLimiter,
  attempt: Attempt,
  guess: () => Promise<T | null>,
): Promise<Guess<T>> {
  const { isLast } = await limiter.take(attempt);
  let isWrong = false;
  try {
    const result = await guess();
    isWrong = result === null;
    return { result, isLast: isWrong && isLast };
  } finally {
    if (!isWrong) await limiter.giveBack(attempt);
  }
}

/** For load tests. */
export const NO_LIMITS: RateLimiter = {
  take: async () => ({ isLast: false }),
  giveBack: async () => undefined,
};
