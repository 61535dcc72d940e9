import { groupPrincipal } from '../access.ts';
import { ANONYMOUS, createActor, type SignedInActor } from '../actor.ts';
import { type Audit, userParty } from '../audit/audit.ts';
import type { LoginMethod } from '../audit/login-failures.ts';
import { type BoundedCache, createBoundedCache } from '../bounded-cache.ts';
import { AppError, type ErrorCode, isAppError } from '../errors.ts';
import { addressKey } from '../names/email-address.ts';
import { userKey } from '../names/names.ts';
import { typedPassword } from '../names/typed.ts';
import type { AuditParty } from '../ports/audit.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Signal } from '../ports/signals.ts';
import type { SessionTerms, VerifiedCredentials } from '../ports/storage/sessions.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserCredentials } from '../ports/storage/users.ts';
import type { Guesses, GuessTarget } from '../protection/guesses.ts';
import { networkOf } from '../protection/networks.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { hasEnded, isRecordDue, timeoutOf } from './expiry.ts';
import type { KnownClients } from './known-clients.ts';
import type { PasswordForms } from './password-forms.ts';

const SESSION_CACHE_SIZE = 20_000;
const CREDENTIALS_CACHE_SIZE = 2_000;
/** Lifetime of cached entries even without a signal, in milliseconds. */
const CACHE_LIFETIME_MS = 60_000;

interface CachedActor {
  readonly actor: SignedInActor;
  /** Time at which the entry was read from the storage, in milliseconds. */
  readonly since: number;
}

interface CachedSession extends CachedActor, SessionTerms {
  /** Last use known to this process, in milliseconds. */
  lastUsed: number;
  /** Last use recorded in the storage, in milliseconds. */
  recorded: number;
}

interface CachedCredentials extends CachedActor {
  /** Network address of the client. */
  readonly address: string;
  /** Keyed digest of the verified password. */
  readonly digest: string;
  /** Hash against which it was verified. */
  readonly passwordHash: string;
  readonly hasSecondFactor: boolean;
  readonly awaitsEmail: boolean;
}

/** The user under attack, once known. */
interface Target {
  party: AuditParty | null;
}

/** A secret of a user other than the password. */
interface SecretOfUser extends GuessTarget {
  /** Null if there is no such user. */
  readonly userId: string | null;
}

export interface AuthenticationDeps {
  readonly storage: Storage;
  readonly passwords: PasswordForms;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: SettingsReader;
  readonly guesses: Guesses;
  readonly knownClients: KnownClients;
  readonly audit: Audit;
}

/** Name and password, and their source. */
export interface Credentials {
  /** User name, or a verified address. */
  readonly name: string;
  readonly password: string;
  /** Network address of the client. */
  readonly address: string;
  /** Client text issued by an earlier login; null if the client sent none. */
  readonly client: string | null;
}

/** Verified credentials for a new session. */
export interface CheckedCredentials extends VerifiedCredentials {
  readonly userId: string;
  readonly hasSecondFactor: boolean;
  /** True if the user must verify an e-mail address before they can log in. */
  readonly awaitsEmail: boolean;
}

/** Failures of guesses that were not checked. */
const REFUSALS: readonly ErrorCode[] = ['auth.locked', 'rate.limited'];

const placeOf = (key: string, { address, client }: Pick<Credentials, 'address' | 'client'>) =>
  `${address} ${key} ${client ?? ''}`;

export type Authentication = ReturnType<typeof createAuthentication>;

/**
 * Authenticates by session token or credentials. Every request does this, so results are cached. Change signals drop
 * entries immediately on every node, and while signals do not arrive the cache is not used.
 */
export function createAuthentication(deps: AuthenticationDeps) {
  const { storage, passwords, secrets, clock, logger, settings, guesses, knownClients, audit } = deps;
  const sessions: BoundedCache<string, CachedSession> = createBoundedCache(SESSION_CACHE_SIZE);
  /**
   * Keyed by account, network address and client, so that a login by one client does not exempt others from the limits.
   * Locked accounts have no entry, so that the right password is rejected like a wrong one.
   */
  const credentials: BoundedCache<string, CachedCredentials> = createBoundedCache(CREDENTIALS_CACHE_SIZE);
  /** Guesses being checked. An app may send the same credentials many times concurrently. */
  const examined = new Map<string, Promise<CachedCredentials>>();
  /** Number of signals. An entry read before a signal is not cached after it. */
  let generation = 0;

  function forget(signal: Signal | null): void {
    generation++;
    if (signal === null || signal.topic === 'roles') {
      sessions.clear();
      credentials.clear();
    } else if (signal.topic === 'group') {
      const group = groupPrincipal(signal.key);
      const isInGroup = ({ actor }: CachedActor) => actor.principals.includes(group);
      sessions.deleteWhere(isInGroup);
      credentials.deleteWhere(isInGroup);
    } else if (signal.topic === 'session') {
      for (const token of secrets.signatures(signal.key)) sessions.delete(token);
    } else if (signal.topic === 'user') {
      const isOfUser = ({ actor }: CachedActor) => actor.user.id === signal.key;
      sessions.deleteWhere(isOfUser);
      credentials.deleteWhere(isOfUser);
    }
  }
  const unsubscribe = storage.signals.subscribe({ topics: ['roles', 'group', 'session', 'user'], hear: forget });

  const isYoung = ({ since }: CachedActor, now: number) => now - since < CACHE_LIFETIME_MS && now >= since;

  /** Records the use in the background, without delaying the request. After a failure the next use tries again. */
  function recordUse(token: string, cached: CachedSession, now: number): void {
    const before = cached.recorded;
    cached.recorded = now;
    const { sessionId: id, user } = cached.actor;
    if (id === null) return;
    const seen = cached.guest ? storage.users.seen(user.id, now) : null;
    Promise.all([storage.sessions.touch(id, now), seen]).then(
      ([exists]) => {
        if (!exists) sessions.delete(token);
      },
      (err: unknown) => {
        cached.recorded = before;
        logger.warn({ err }, 'use of session not recorded');
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
    if (found?.user.status !== 'ACTIVE') throw new AppError('session.invalid');
    const { loggedIn, guest } = found;
    const { lastUsed } = found.session;
    const { id: userId, name, role, groups } = found.user;
    const actor = createActor({ id: userId, name, role }, id, groups);
    const cached: CachedSession = { actor, since: now, lastUsed, recorded: lastUsed, loggedIn, guest };
    if (hasEnded(cached, now, values)) throw new AppError('session.invalid');
    if (before === generation) sessions.set(token, cached);
    return use(token, cached, now, timeoutOf(values, guest));
  }

  /** Drops cached credentials on every node, so that they cannot be used while the account is locked. */
  async function lockOut(address: string, userId: string | null): Promise<void> {
    generation++;
    credentials.deleteWhere((cached) => cached.address === address);
    const to: AuditParty | null = userId === null ? null : { kind: 'user', id: userId, name: null };
    audit.recordBounded(ANONYMOUS, 'account.locked', { to, network: networkOf(address) });
    if (userId !== null) await storage.announcer.announce({ topic: 'user', key: userId });
  }

  /**
   * Reads the user before the guess is checked, if that is necessary: for clients that may be known, and for addresses,
   * because wrong passwords count for the account, however it is named. Undefined if it is not necessary.
   */
  async function readFirst(typed: string, { name, client }: Credentials): Promise<UserCredentials | null | undefined> {
    const email = addressKey(name);
    return client === null && email === null ? undefined : storage.users.credentials(typed, email);
  }

  /**
   * Replaces a hash that was made from another Unicode form of the password, unless the password has changed meanwhile.
   */
  async function renewHash(found: UserCredentials, password: string): Promise<UserCredentials> {
    const passwordHash = await passwords.hash(password);
    const isRenewed = await storage.transaction(async ({ users, announcer }) => {
      await users.update(found.id, {}); // locks the user
      const current = await users.credentials(userKey(found.name));
      if (current?.passwordHash !== found.passwordHash) return false;
      await users.update(found.id, { passwordHash });
      await announcer.announce({ topic: 'user', key: found.id });
      return true;
    });
    return isRenewed ? { ...found, passwordHash } : found;
  }

  async function verify(typed: string, given: Credentials, target: Target): Promise<CachedCredentials> {
    const { password, address, client } = given;
    const before = generation;
    const read = await readFirst(typed, given);
    const [key, knownAs] = read ? [userKey(read.name), knownClients.knownAs(client, read.id)] : [typed, null];
    const { result: user, isLast } = await guesses.examine({ key, address, knownAs }, async () => {
      const found = read === undefined ? await storage.users.credentials(typed) : read;
      if (found !== null) target.party = userParty(found);
      const match = await passwords.match(found?.passwordHash ?? null, password);
      if (match === null || found?.status !== 'ACTIVE') return null;
      return match === 'current' ? found : renewHash(found, password);
    });
    if (isLast) await lockOut(address, target.party?.id ?? null);
    if (user === null || user.passwordHash === null) throw new AppError('auth.invalid');
    const { id, name, role, groups } = user;
    const verified = {
      actor: { ...createActor({ id, name, role }, null, groups), typedName: given.name },
      address,
      since: clock.now(),
      digest: secrets.digest(typedPassword(password)),
      passwordHash: user.passwordHash,
      hasSecondFactor: user.hasSecondFactor,
      awaitsEmail: user.awaitsEmail,
    };
    if (before === generation) credentials.set(placeOf(typed, { address, client }), verified);
    return verified;
  }

  async function identify(given: Credentials, method: LoginMethod): Promise<CachedCredentials> {
    const key = userKey(given.name);
    const place = placeOf(key, given);
    const digest = secrets.digest(typedPassword(given.password));
    const cached = credentials.get(place);
    if (cached?.digest === digest && storage.signals.live && isYoung(cached, clock.now())) return cached;
    const guess = `${digest} ${place}`;
    // If the concurrent identical guess is right, it counts once. If it is wrong, this one counts too.
    const shared = await examined.get(guess)?.catch(() => null);
    if (shared) return shared;
    const target: Target = { party: null };
    const attempt = { method, network: networkOf(given.address), target: () => target.party };
    const verified = audit.login(attempt, () => verify(key, given, target));
    examined.set(guess, verified);
    try {
      return await verified;
    } catch (error) {
      // The limit may have been reached on another node.
      if (isAppError(error) && REFUSALS.includes(error.code)) credentials.delete(place);
      throw error;
    } finally {
      if (examined.get(guess) === verified) examined.delete(guess);
    }
  }

  return {
    /** Returns the user of a session token. @throws `session.invalid` */
    async byToken(token: string): Promise<SignedInActor> {
      if (sessions.get(token) === undefined) return readSession(token);
      const values = await settings.current();
      const cached = sessions.get(token); // a signal may have dropped it meanwhile
      if (cached === undefined) return readSession(token);
      const now = clock.now();
      if (storage.signals.live && isYoung(cached, now) && !hasEnded(cached, now, values)) {
        return use(token, cached, now, timeoutOf(values, cached.guest));
      }
      sessions.delete(token);
      return readSession(token);
    },

    /**
     * Returns the user with these credentials. An unknown name, a wrong password and a suspended user take the same
     * time and get the same error.
     *
     * @throws `auth.invalid`, `auth.email_unverified`, `auth.second_factor_required`, `auth.locked`, `rate.limited`,
     * `passwords.busy`
     */
    async byPassword(given: Credentials): Promise<SignedInActor> {
      const { actor, hasSecondFactor, awaitsEmail } = await identify(given, 'basic');
      if (awaitsEmail) throw new AppError('auth.email_unverified');
      if (hasSecondFactor) throw new AppError('auth.second_factor_required', { detail: 'log in with POST /login' });
      return actor;
    },

    /**
     * Checks credentials as `byPassword`, for callers who then begin a session with them (`SessionStore.begin`), or
     * perform an action allowed before the login is complete.
     *
     * @throws `auth.invalid`, `auth.locked`, `rate.limited`, `passwords.busy`
     */
    async check(given: Credentials): Promise<CheckedCredentials> {
      const { actor, passwordHash, hasSecondFactor, awaitsEmail } = await identify(given, 'password');
      return { userId: actor.user.id, key: userKey(actor.user.name), passwordHash, hasSecondFactor, awaitsEmail };
    },

    /**
     * Checks a guess at another secret of an account. Wrong guesses, for which `check` resolves to null, count together
     * with wrong passwords.
     *
     * @throws `auth.locked`, `rate.limited`, the errors of `check`
     */
    async guess<T>({ userId, ...target }: SecretOfUser, check: () => Promise<T | null>): Promise<T | null> {
      const { result, isLast } = await guesses.examine(target, check);
      if (isLast) await lockOut(target.address, userId);
      return result;
    },

    /** Unsubscribes from signals. */
    dispose: unsubscribe,
  };
}
