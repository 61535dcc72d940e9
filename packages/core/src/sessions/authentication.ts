import { ANONYMOUS, createActor, type SignedInActor } from '../actor.ts';
import { type Audit, userParty } from '../audit/audit.ts';
import type { LoginMethod } from '../audit/login-failures.ts';
import { type BoundedCache, createBoundedCache, isFresh } from '../caches.ts';
import { AppError, type ErrorCode, isAppError } from '../errors.ts';
import type { Hooks } from '../hooks/hooks.ts';
import { addressKey, attemptKey } from '../names/email-address.ts';
import { typedPassword, userKey } from '../names/names.ts';
import type { AuditParty } from '../ports/audit.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Signal } from '../ports/signals.ts';
import type { VerifiedCredentials } from '../ports/storage/sessions.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserCredentials } from '../ports/storage/users.ts';
import { type Guesses, networkOf } from '../protection/limits.ts';
import type { SettingsReader } from '../settings/settings.ts';
import type { TimeWatch } from '../time/time-watch.ts';
import { createLoginAttempts, type KnownClients } from './logins.ts';
import type { PasswordForms } from './password-forms.ts';
import { ACTOR_TOPICS, type CachedActor, createSessionTokens, forgetActors } from './session-tokens.ts';

const CREDENTIALS_CACHE_SIZE = 2_000;
interface CachedCredentials extends CachedActor {
  /** Network address of the client. */
  readonly address: string;
  /** Keyed digest of the verified password. */
  readonly digest: string;
  /** Hash against which it was verified. */
  readonly passwordHash: string;
  readonly hasSecondFactor: boolean;
  readonly awaitsEmail: boolean;
  /** True if the user has asked for the deletion of the account. */
  readonly isErasing: boolean;
  /** True if the hooks of logins have permitted requests with these credentials. */
  isPermitted: boolean;
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
  readonly hooks: Hooks;
  readonly timeWatch: TimeWatch;
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
  const { storage, passwords, secrets, clock, guesses, knownClients, audit, hooks } = deps;
  const tokens = createSessionTokens(deps);
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
    forgetActors(credentials, signal);
  }
  const unsubscribe = storage.signals.subscribe({ topics: ACTOR_TOPICS, hear: forget });

  /** Drops cached credentials on every node, so that they cannot be used while the account is locked. */
  async function lockOut(address: string, account: AuditParty | null): Promise<void> {
    generation++;
    credentials.deleteWhere((cached) => cached.address === address);
    const to = account === null ? null : { ...account, name: null };
    audit.recordBounded(ANONYMOUS, 'account.locked', { to, network: networkOf(address) });
    if (account?.id) await storage.announcer.announce({ topic: 'user', key: account.id });
  }
  const attemptAt = createLoginAttempts({ guesses, audit, lockOut });

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

  /** @throws `auth.invalid` */
  async function requirePassword(found: UserCredentials | null, password: string): Promise<UserCredentials> {
    const match = await passwords.match(found?.passwordHash ?? null, password);
    if (match === null || found === null || found.status === 'SUSPENDED') throw new AppError('auth.invalid');
    return match === 'current' ? found : renewHash(found, password);
  }

  function checkPassword(typed: string, given: Credentials, method: LoginMethod): Promise<UserCredentials> {
    const { password, address, client } = given;
    const login = { method, network: networkOf(address), wrong: ['auth.invalid'] } as const;
    return attemptAt(login, async (attempt) => {
      const read = await readFirst(typed, given);
      const [key, knownAs] = read
        ? [userKey(read.name), knownClients.knownAs(client, read.id)]
        : [attemptKey(given.name), null];
      await attempt.guess({ key, address, knownAs });
      const found = read === undefined ? await storage.users.credentials(typed) : read;
      if (found !== null) attempt.to = userParty(found);
      return requirePassword(found, password);
    });
  }

  async function verify(typed: string, given: Credentials, method: LoginMethod): Promise<CachedCredentials> {
    const { password, address, client } = given;
    const before = generation;
    const user = await checkPassword(typed, given, method);
    const { id, name, role, groups, passwordHash, hasSecondFactor, awaitsEmail } = user;
    if (passwordHash === null) throw new AppError('auth.invalid');
    const verified = {
      actor: { ...createActor({ id, name, role }, null, groups), typedName: given.name },
      address,
      since: clock.now(),
      digest: secrets.digest(typedPassword(password)),
      passwordHash,
      hasSecondFactor,
      awaitsEmail,
      isErasing: user.status === 'ERASING',
      isPermitted: false,
    };
    if (before === generation) credentials.set(placeOf(typed, { address, client }), verified);
    return verified;
  }

  async function identify(given: Credentials, method: LoginMethod): Promise<CachedCredentials> {
    const key = userKey(given.name);
    const place = placeOf(key, given);
    const digest = secrets.digest(typedPassword(given.password));
    const cached = credentials.get(place);
    if (cached?.digest === digest && isFresh(cached.since, clock.now(), storage.signals)) return cached;
    const guess = `${digest} ${place}`;
    // If the concurrent identical guess is right, it counts once. If it is wrong, this one counts too.
    const shared = await examined.get(guess)?.catch(() => null);
    if (shared) return shared;
    const verified = verify(key, given, method);
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
    byToken: tokens.byToken,

    /**
     * Returns the user with these credentials. An unknown name, a wrong password and a suspended user take the same
     * time and get the same error.
     *
     * @throws `auth.invalid`, `account.erasing`, `auth.email_unverified`, `auth.second_factor_required`, `auth.locked`,
     * `rate.limited`, `passwords.busy`, `extension.*`
     */
    async byPassword(given: Credentials): Promise<SignedInActor> {
      const identified = await identify(given, 'basic');
      const { actor, hasSecondFactor, awaitsEmail, isErasing } = identified;
      if (isErasing) throw new AppError('account.erasing');
      if (awaitsEmail) throw new AppError('auth.email_unverified');
      if (hasSecondFactor) throw new AppError('auth.second_factor_required', { detail: 'log in with POST /login' });
      if (!identified.isPermitted && hooks.has('user.login')) {
        const { id, name } = actor.user;
        await hooks.run('user.login', { userId: id, username: name, method: 'basic' }, actor);
        identified.isPermitted = true;
      }
      return actor;
    },

    /**
     * Checks credentials as `byPassword`, for callers who then begin a session with them (`SessionStore.begin`), or
     * perform an action allowed before the login is complete.
     *
     * @throws `auth.invalid`, `account.erasing`, `auth.locked`, `rate.limited`, `passwords.busy`
     */
    async check(given: Credentials): Promise<CheckedCredentials> {
      const { actor, passwordHash, hasSecondFactor, awaitsEmail, isErasing } = await identify(given, 'password');
      if (isErasing) throw new AppError('account.erasing');
      return { userId: actor.user.id, key: userKey(actor.user.name), passwordHash, hasSecondFactor, awaitsEmail };
    },

    /**
     * Returns the id of the user with these credentials, even if they have asked for the deletion of the account.
     *
     * @throws `auth.invalid`, `auth.locked`, `rate.limited`, `passwords.busy`
     */
    async ownerOf(given: Credentials): Promise<string> {
      return (await identify(given, 'password')).actor.user.id;
    },

    /** Checks another secret of an account. Wrong guesses count together with wrong passwords. */
    attempt: attemptAt,

    /** Unsubscribes from signals. */
    dispose() {
      tokens.dispose();
      unsubscribe();
    },
  };
}
