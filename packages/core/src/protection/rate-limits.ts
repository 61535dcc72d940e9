import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { RateLimit, RateLimitStore } from '../ports/storage/rate-limits.ts';

const MINUTE = 60_000;

/**
 * Limits of each kind of attempt: from one network, at one account from one network (`pair`), and at one account from
 * anywhere. Logins, including those with social networks, count only when they fail.
 *
 * A network may be a whole school, so its limit is wide. The limit of the pair stops guessing without locking out users
 * in other networks. The limit of the account, several times as wide, limits guessing from many networks.
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
  'email/address': { times: 60, window: 15 * MINUTE },
  'email/account': { times: 15, window: 15 * MINUTE },
  'email/mailbox': { times: 15, window: 15 * MINUTE },
  'loginCode/address': { times: 60, window: 15 * MINUTE },
  'loginCode/pair': { times: 5, window: 15 * MINUTE },
  'loginCode/account': { times: 15, window: 15 * MINUTE },
  'loginCode/unsent': { times: 1000, window: 15 * MINUTE },
  'invitation/address': { times: 200, window: 15 * MINUTE },
  'push/account': { times: 300, window: 5 * MINUTE },
  'resetSubmit/address': { times: 200, window: 15 * MINUTE },
} as const satisfies Record<string, RateLimit>;

type LimitedThing = keyof typeof LIMITS;

/** Keys to count, by limit: a network, an account, or a pair of both. Counted in the order of the members. */
export type Attempt = Partial<Readonly<Record<LimitedThing, string>>>;

/**
 * Returns the keys under which an attempt at an account is counted. The network comes first: if it is over its limit,
 * nothing is stored for any number of names. The account comes last, so that attempts refused because of a network do
 * not count against it.
 */
export function attemptAt(thing: 'login' | 'loginCode' | 'resetRequest', account: string, address: string): Attempt {
  return {
    [`${thing}/address`]: address,
    [`${thing}/pair`]: `${address} ${account}`,
    [`${thing}/account`]: account,
  };
}

interface Taken {
  /** True if one of the windows is now full. */
  readonly isLast: boolean;
}

export interface RateLimiter {
  /**
   * Counts an attempt in all its windows. If one of them is full, it is counted in none.
   *
   * @throws `rate.limited` with the seconds to wait, if one of them is full
   */
  take(attempt: Attempt): Promise<Taken>;
  /** Undoes the counting of an attempt that succeeded. */
  giveBack(attempt: Attempt): Promise<void>;
}

export interface RateLimiterDeps {
  readonly rateLimits: RateLimitStore;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/**
 * Counts in the storage, so that the limits apply to all nodes together. Networks and names are stored as keyed
 * digests.
 */
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

/** Outcome of a guess. */
export interface Guess<T> {
  /** Null if the guess was wrong. */
  readonly result: T | null;
  /** True if it was wrong and reached a limit. Further attempts are refused, right or wrong. */
  readonly isLast: boolean;
}

/**
 * Counts wrong guesses, for which `guess` resolves to null. Right guesses and failures of the server are not counted,
 * so that an overloaded server locks nobody out.
 *
 * @throws `rate.limited`, the errors of `guess`
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
