import { createActor, type SignedInActor } from '../actor.ts';
import { type BoundedCache, createBoundedCache } from '../bounded-cache.ts';
import { AppError, isAppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Passwords } from '../ports/passwords.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Signal } from '../ports/signals.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { attemptAt, limitGuesses, pairOf, type RateLimiter } from '../protection/rate-limits.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { userKey } from '../users/names.ts';
import { hasExpired, isRecordDue } from './expiry.ts';

const SESSION_CACHE_SIZE = 20_000;
const CREDENTIALS_CACHE_SIZE = 2_000;
/** Nothing cached is believed for longer, whatever was or was not announced. */
const CACHE_LIFETIME_MS = 60_000;

interface CachedActor {
  readonly actor: SignedInActor;
  /** When it was read, milliseconds. */
  readonly since: number;
}

interface CachedSession extends CachedActor {
  /** As far as this process knows. */
  lastUsed: number;
  /** The last use in the storage. */
  recorded: number;
}

interface CachedCredentials extends CachedActor {
  /** Where they came from. */
  readonly address: string;
  /** Keyed digest of the password that was verified. */
  readonly digest: string;
  /** What it was verified against. */
  readonly passwordHash: string | null;
}

export interface AuthenticationDeps {
  readonly storage: Storage;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: SettingsReader;
  readonly limiter: RateLimiter;
}

/** Name and password, and where they come from. */
export interface Credentials {
  readonly name: string;
  readonly password: string;
  readonly address: string;
}

const MINUTE = 60_000;

/** How long a session lives without use, milliseconds; 0 = for ever. */
export const timeoutOf = (values: SettingValues) => values['session_tokens.timeout'] * MINUTE;

export type Authentication = ReturnType<typeof createAuthentication>;

/**
 * Who sends a request. Both ways are on the path of every request, so what was found is kept for a while: announced
 * changes drop it at once on every node, and while the announcements do not arrive nothing kept is used.
 */
export function createAuthentication(deps: AuthenticationDeps) {
  const { storage, passwords, secrets, clock, logger, settings, limiter } = deps;
  const sessions: BoundedCache<string, CachedSession> = createBoundedCache(SESSION_CACHE_SIZE);
  /**
   * By account and network: what one network has shown spares no other the limits. Who is locked out has none here,
   * so that a right password is refused like a wrong one.
   */
  const credentials: BoundedCache<string, CachedCredentials> = createBoundedCache(CREDENTIALS_CACHE_SIZE);
  /** Counts signals: what was read before one came is not kept after it. */
  let generation = 0;

  function forget(signal: Signal | null): void {
    generation++;
    if (signal === null || signal.topic === 'roles') {
      sessions.clear();
      credentials.clear();
    } else if (signal.topic === 'session') {
      sessions.delete(secrets.sign(signal.key));
    } else if (signal.topic === 'user') {
      const isTheirs = ({ actor }: CachedActor) => actor.user.id === signal.key;
      sessions.deleteWhere(isTheirs);
      credentials.deleteWhere(isTheirs);
    }
  }
  const unsubscribe = storage.signals.subscribe(forget);

  const isFresh = (cached: CachedActor, now: number) =>
    storage.signals.live && now - cached.since < CACHE_LIFETIME_MS && now >= cached.since;

  /** Off the request's path: nobody waits for it, and a failure only means that it is tried again. */
  function recordUse(token: string, cached: CachedSession, now: number): void {
    const before = cached.recorded;
    cached.recorded = now;
    const id = cached.actor.sessionId;
    if (id === null) return;
    storage.sessions.touch(id, now).then(
      (exists) => {
        if (!exists) sessions.delete(token);
      },
      (err: unknown) => {
        cached.recorded = before;
        logger.warn({ err }, 'use of a session not recorded');
      },
    );
  }

  function use(token: string, cached: CachedSession, now: number, timeout: number): SignedInActor {
    cached.lastUsed = now;
    if (isRecordDue(cached.recorded, now, timeout)) recordUse(token, cached, now);
    return cached.actor;
  }

  async function readSession(token: string): Promise<SignedInActor> {
    const id = secrets.unsign(token);
    if (id === null) throw new AppError('session.invalid');
    const before = generation;
    const [found, values] = await Promise.all([storage.sessions.find(id), settings.current()]);
    const now = clock.now();
    const timeout = timeoutOf(values);
    if (found === null || hasExpired(found.session.lastUsed, now, timeout)) {
      throw new AppError('session.invalid');
    }
    if (found.user.status !== 'ACTIVE') throw new AppError('session.invalid');
    const { lastUsed } = found.session;
    const { id: userId, name, role } = found.user;
    const actor = createActor({ id: userId, name, role }, id);
    const cached: CachedSession = { actor, since: now, lastUsed, recorded: lastUsed };
    if (before === generation) sessions.set(token, cached);
    return use(token, cached, now, timeout);
  }

  /** The session as it is known, if nothing speaks against using it unseen. */
  function fromCache(token: string): SignedInActor | null {
    const cached = sessions.get(token);
    if (cached === undefined) return null;
    const values = settings.known();
    const now = clock.now();
    if (values !== null && isFresh(cached, now)) {
      const timeout = timeoutOf(values);
      if (!hasExpired(cached.lastUsed, now, timeout)) return use(token, cached, now, timeout);
    }
    sessions.delete(token);
    return null;
  }

  /** Nothing that is remembered lets anybody in who is locked out from now on, on any node. */
  async function lockOut(address: string, userId: string | null): Promise<void> {
    generation++;
    credentials.deleteWhere((cached) => cached.address === address);
    if (userId !== null) await storage.announcer.announce({ topic: 'user', key: userId });
  }

  async function verify(key: string, { password, address }: Credentials): Promise<CachedCredentials> {
    const before = generation;
    let guessedAt: string | null = null;
    const { result: user, isLast } = await limitGuesses(limiter, attemptAt('login', key, address), async () => {
      const found = await storage.users.credentials(key);
      guessedAt = found?.id ?? null;
      const matches = await passwords.verify(found?.passwordHash ?? null, password);
      return matches && found?.status === 'ACTIVE' ? found : null;
    });
    if (isLast) await lockOut(address, guessedAt);
    if (user === null) throw new AppError('auth.invalid');
    const actor = createActor({ id: user.id, name: user.name, role: user.role }, null);
    const { passwordHash } = user;
    const verified = { actor, address, since: clock.now(), digest: secrets.digest(password), passwordHash };
    if (before === generation) credentials.set(pairOf(key, address), verified);
    return verified;
  }

  async function identify(given: Credentials): Promise<CachedCredentials> {
    const key = userKey(given.name);
    const pair = pairOf(key, given.address);
    const cached = credentials.get(pair);
    if (cached !== undefined && isFresh(cached, clock.now()) && cached.digest === secrets.digest(given.password)) {
      return cached;
    }
    try {
      return await verify(key, given);
    } catch (error) {
      // The limit may have been reached on another node.
      if (isAppError(error) && error.code === 'rate.limited') credentials.delete(pair);
      throw error;
    }
  }

  return {
    /**
     * The user of a session token. Answers without a promise when it is known already.
     *
     * @throws `session.invalid` (also as a rejection)
     */
    byToken(token: string): SignedInActor | Promise<SignedInActor> {
      return fromCache(token) ?? readSession(token);
    },

    /**
     * The user with these credentials. A name that does not exist and a wrong password take the same time and get
     * the same answer, and so does a suspended user.
     *
     * @throws `auth.invalid`, `rate.limited`, `passwords.busy`
     */
    async byPassword(given: Credentials): Promise<SignedInActor> {
      return (await identify(given)).actor;
    },

    /**
     * The same for those who begin something that outlives the request: until that is stored, they have to hold the
     * user and see that `passwordHash` still is theirs.
     */
    async forSession(given: Credentials): Promise<{ userId: string; key: string; passwordHash: string | null }> {
      const { actor, passwordHash } = await identify(given);
      return { userId: actor.user.id, key: userKey(actor.user.name), passwordHash };
    },

    /** Stops listening to announcements. */
    dispose: unsubscribe,
  };
}
