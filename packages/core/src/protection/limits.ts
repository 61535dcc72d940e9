import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { LockoutStore } from '../ports/storage/lockouts.ts';
import type { RateLimit, RateLimitStore } from '../ports/storage/rate-limits.ts';
import type { SettingsReader } from '../settings/settings.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
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
  // From one account to one mailbox or user.
  'invitation/mailbox': { times: 30, window: DAY },
  'invitation/user': { times: 30, window: DAY },
  'push/account': { times: 300, window: 5 * MINUTE },
  'resetSubmit/address': { times: 200, window: 15 * MINUTE },
} as const satisfies Record<string, RateLimit>;

type LimitedThing = keyof typeof LIMITS;

/** Keys to count, by limit: a network, an account, a mailbox, or a pair of them. Counted in the order of the members. */
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

/** For load tests. */
export const NO_LIMITS: RateLimiter = {
  take: async () => ({ isLast: false }),
  giveBack: async () => undefined,
};

/** Number of groups of an IPv6 address in a /48. */
const SITE_GROUPS = 3;

/**
 * Returns the prefix of a client's address for session lists and audit events, such as `192.0.2.0/24`. Users recognize
 * their providers, and nobody can be traced by it. Null if there is no address.
 *
 * @param address as returned by `countedAddress`
 */
export function networkOf(address: string): string | null {
  if (address === '') return null;
  if (!address.includes(':')) return `${address.split('.').slice(0, 3).join('.')}.0/24`;
  const site = address.split(':').slice(0, SITE_GROUPS).join(':');
  return `${site.replace(/(?:^|:)0(?::0)*$/, '')}::/48`;
}

const IPV4_IN_IPV6 = '::ffff:';
const IPV6_GROUPS = 8;

/** Returns the first 64 bits of an IPv6 address in a canonical spelling. */
function ipv6Network(ip: string): string {
  const [before = [], after] = ip.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const omitted = after === undefined ? 0 : Math.max(0, IPV6_GROUPS - before.length - after.length);
  const groups = [...before, ...Array.from({ length: omitted }, () => '0'), ...(after ?? [])];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

/** Returns a client's IP address as counted by rate limits. In IPv6 a whole /64 counts as one client. */
export function countedAddress(address: string): string {
  const ip = address.toLowerCase();
  if (ip.startsWith(IPV4_IN_IPV6)) return ip.slice(IPV4_IN_IPV6.length);
  return ip.includes(':') ? ipv6Network(ip) : ip;
}

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

/** A counted guess. */
export interface OpenGuess {
  /** True if it reached a limit. Unless it is excused, further guesses are refused, right or wrong. */
  readonly isLast: boolean;
  /**
   * Stops counting the guess, because it was right or could not be checked. An overloaded server must lock nobody out.
   */
  excuse(): Promise<void>;
}

/** Counts wrong guesses at the secrets of accounts. */
export interface Guesses {
  /** Counts a guess before it is checked. @throws `auth.locked`, `rate.limited` */
  open(target: GuessTarget): Promise<OpenGuess>;
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

  async function countAt(name: string, limit: RateLimit): Promise<OpenGuess> {
    const key = digestOf(name);
    const now = clock.now();
    const { isAllowed, place, count, ends } = await storage.lockouts.announce(key, now, limit);
    if (!isAllowed) throw new AppError('auth.locked', { retryAfter: Math.max(1, Math.ceil((ends - now) / 1000)) });
    async function excuse(): Promise<void> {
      const then = clock.now();
      await storage.lockouts.excuse(key, place, then, then + EXCUSED_AFTER_MS);
    }
    return { isLast: count >= limit.times, excuse };
  }

  async function countRate(attempt: Attempt): Promise<OpenGuess> {
    const { isLast } = await limiter.take(attempt);
    return { isLast, excuse: () => limiter.giveBack(attempt) };
  }

  /**
   * Counts a guess by an unknown client. The limit of the network comes first, so that beyond it nothing is stored for
   * any number of names.
   */
  async function countStranger({ key, address }: GuessTarget, limit: RateLimit): Promise<OpenGuess> {
    const ofNetwork = await countRate({ 'login/address': address });
    try {
      const ofAccount = await countAt(`account/${key}`, limit);
      async function excuse(): Promise<void> {
        await ofAccount.excuse();
        await ofNetwork.excuse();
      }
      return { isLast: ofAccount.isLast || ofNetwork.isLast, excuse };
    } catch (error) {
      await ofNetwork.excuse();
      throw error;
    }
  }

  return {
    async open(target) {
      const { key, address, knownAs } = target;
      const values = await settings.current();
      const limit = { times: values['lockout.failures'], window: values['lockout.minutes'] * MINUTE };
      if (limit.times === 0) return countRate(attemptAt('login', key, address));
      return knownAs === null ? countStranger(target, limit) : countAt(`client/${knownAs}`, limit);
    },
    forgive: (key) => storage.lockouts.forget(digestOf(`account/${key}`)),
  };
}

/** For load tests. */
export const NO_LOCKOUT: Guesses = {
  open: async () => ({ isLast: false, excuse: async () => undefined }),
  forgive: async () => undefined,
};
