import { createActor } from '../actor.ts';
import { type Audit, userParty } from '../audit/audit.ts';
import type { LoginMethod } from '../audit/login-failures.ts';
import { AppError, type ErrorCode, isAppError } from '../errors.ts';
import { type Hooks, precededBy } from '../hooks/hooks.ts';
import type { Notices } from '../notices/notices.ts';
import type { AuditParty } from '../ports/audit.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Session, SessionOrigin } from '../ports/storage/sessions.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import type { GuessedSecret, Guesses, GuessTarget, OpenGuess } from '../protection/limits.ts';
import { type LoginData, registerDevice } from '../push/devices.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import type { TimeWatch } from '../time/time-watch.ts';

export interface LoginAttemptOptions {
  /** Absent if a secret is checked for another purpose than a login. Such failures are not recorded. */
  readonly method?: LoginMethod;
  readonly network?: string | null;
  readonly to?: AuditParty | null;
  /** Failures that count as wrong guesses; default `auth.code_invalid`. */
  readonly wrong?: readonly ErrorCode[];
}

/** A login, or another check of a user's secret. */
export interface LoginAttempt {
  /** The account under attack, once it is known. Never a name sent by the client. */
  to: AuditParty | null;
  /** Counts a guess. To be called before the secret is checked. @throws `auth.locked`, `rate.limited` */
  guess(target: GuessTarget): Promise<void>;
}

export interface LoginAttemptsDeps {
  readonly guesses: Guesses;
  readonly audit: Audit;
  /** Locks the account for clients with this network address. */
  lockOut(address: string, to: AuditParty | null): Promise<void>;
}

/** Counts and records attempts at the secrets of users. */
export function createLoginAttempts({ guesses, audit, lockOut }: LoginAttemptsDeps) {
  /**
   * Runs a check of a secret, and returns its result. If it throws, the attempt has failed: a wrong guess stays
   * counted, and locks the account if it was the last one allowed. All other guesses do not count.
   *
   * @throws the error of the check
   */
  return async function attempt<T>(
    { method, network = null, to = null, wrong = ['auth.code_invalid'] }: LoginAttemptOptions,
    check: (attempt: LoginAttempt) => Promise<T>,
  ): Promise<T> {
    const counted: { readonly guess: OpenGuess; readonly address: string }[] = [];

    async function guess(target: GuessTarget): Promise<void> {
      counted.push({ guess: await guesses.open(target), address: target.address });
    }

    async function excuse(): Promise<void> {
      for (const { guess } of counted.toReversed()) await guess.excuse();
    }

    const made: LoginAttempt = { to, guess };
    const result = await check(made).catch(async (error: unknown) => {
      const isWrong = isAppError(error) && wrong.includes(error.code);
      if (!isWrong) await excuse();
      const last = counted.filter(({ guess }) => isWrong && guess.isLast);
      for (const { address } of last) await lockOut(address, made.to);
      if (method !== undefined) audit.loginFailed(error, { method, network, to: made.to });
      throw error;
    });
    await excuse();
    return result;
  };
}

/** A login whose session has begun. */
export interface CompletedLogin {
  readonly method: LoginMethod;
  readonly factor: SessionOrigin['factor'];
  /** Client text issued by an earlier login; null if the client sent none. */
  readonly client: string | null;
  readonly origin: LoginOrigin;
}

export interface CompletedLoginsDeps {
  readonly knownClients: KnownClients;
  readonly audit: Audit;
  readonly notices: Notices;
  readonly storage: Storage;
  readonly logger: Logger;
  readonly hooks: Hooks;
  readonly secrets: Secrets;
  readonly settings: SettingsReader;
  readonly timeWatch: Pick<TimeWatch, 'latest'>;
}

/** A login in the transaction that begins its session. */
export interface BeginningLogin {
  /** Shows the login to the hooks. To be called once it is allowed. */
  permit(user: UserRecord): void;
  /** Permits the login, and begins a session. The user must be locked. */
  start(user: UserRecord, session: Pick<NewSession, 'login' | 'origin'>): Promise<SignedIn>;
}

export type CompletedLogins = ReturnType<typeof createCompletedLogins>;

/** Completes logins of all methods. */
export function createCompletedLogins(deps: CompletedLoginsDeps) {
  const { knownClients, audit, notices, storage, logger, hooks, secrets, settings, timeWatch } = deps;

  /** Stores a notice before the token is returned. If that fails, the user is still logged in. */
  async function tell(user: UserRecord, { network, agent }: LoginOrigin): Promise<void> {
    try {
      const values = await notices.prepare();
      if (values === null) return;
      await storage.transaction((stores) => notices.post(stores, values, user, { kind: 'login', network, agent }));
    } catch (err) {
      logger.warn({ err, userId: user.id }, 'user not told of a login');
    }
  }

  return {
    /** True if hooks precede logins. */
    hasHooks: hooks.has('user.login'),

    /**
     * Begins a session with `work`, in a transaction. A login that a hook refuses stores nothing.
     *
     * @throws `extension.*`, the errors of `work`
     */
    async begin<T>(method: LoginMethod, work: (stores: Stores, login: BeginningLogin) => Promise<T>): Promise<T> {
      // Read before the transaction, because reading settings may need the storage.
      const most = mostSessionsOf(await settings.current());
      return precededBy(hooks, 'user.login', (show) => {
        const permit = (user: UserRecord) =>
          show({ userId: user.id, username: user.name, method }, createActor(user, null));
        return storage.transaction((stores) =>
          work(stores, {
            permit,
            async start(user, { login, origin }) {
              permit(user);
              const session = { secrets, now: timeWatch.latest(), userId: user.id, login, origin, most };
              return { profile: user, token: secrets.sign(await beginSession(stores, session)) };
            },
          }),
        );
      });
    },

    /**
     * Records a login. To be called when the session has begun and before its token is returned, so that every usable
     * session has an audit record. Resolves to the new client text.
     */
    async complete(user: UserRecord, { method, factor, client, origin }: CompletedLogin): Promise<string> {
      const issued = knownClients.issue(client, user.id);
      const details = { method, factor, client: issued.wasKnown ? 'known' : 'new' };
      audit.record({ user, key: null }, 'login.succeeded', { to: userParty(user), network: origin.network, details });
      if (!issued.wasKnown && user.emailVerified) await tell(user, origin);
      return issued.client;
    },
  };
}

/** A profile and the token of the new session. */
export interface SignedIn {
  readonly profile: UserRecord;
  readonly token: string;
}

/** Result of a login or a sign-up. */
export interface LoggedIn extends SignedIn {
  /** Client text to send from now on, by which the client is known. */
  readonly client: string;
}

/** Source of a login. */
export type LoginOrigin = Omit<SessionOrigin, 'factor'>;

interface NewSession {
  readonly secrets: Secrets;
  readonly now: number;
  readonly userId: string;
  readonly login: LoginData | null;
  readonly origin: SessionOrigin;
  /** Maximum number of the user's sessions, including this one; 0 = unlimited. */
  readonly most: number;
  /** Device of a session that this one replaces; absent or null if there is none. */
  readonly deviceId?: string | null;
  /** Time of the login, in milliseconds; absent: now. An older one makes the session less fresh than it is new. */
  readonly loggedIn?: number | undefined;
}

/** Returns the maximum number of sessions per user; 0 = unlimited. */
export const mostSessionsOf = (values: SettingValues) => values['session_tokens.max.per.user'];

/**
 * Ends the sessions above the limit after a new one has begun, as a logout does. The user must be locked, so that
 * concurrent logins see each other's sessions.
 */
export async function endSurplus(
  stores: Stores,
  { id, userId, deviceId }: Pick<Session, 'id' | 'userId' | 'deviceId'>,
  most: number,
): Promise<void> {
  if (most === 0) return;
  for (;;) {
    const ended = await stores.sessions.surplus(userId, id, most);
    if (ended.length === 0) return;
    // Devices before sessions, in the lock order of logouts.
    for (const device of new Set(ended.map((session) => session.deviceId))) {
      if (device !== null && device !== deviceId) await stores.devices.remove(device, userId);
    }
    for (const session of ended) await stores.sessions.remove(session.id);
    await stores.announcer.announce({ topic: 'user', key: userId });
  }
}

/** Begins a session, and registers its device. The user must be locked or new. Resolves to the session's id. */
export async function beginSession(
  stores: Stores,
  { secrets, now, userId, login, origin, most, deviceId = null, loggedIn }: NewSession,
): Promise<string> {
  if (login !== null) {
    await registerDevice(stores, { id: login.deviceId, userId, os: login.os, registered: now });
  }
  const id = secrets.token();
  const session = { id, userId, created: now, lastUsed: now, deviceId: login?.deviceId ?? deviceId };
  await stores.sessions.add(session, origin, loggedIn);
  await endSurplus(stores, session, most);
  return id;
}

/**
 * Requires a user who may log in.
 *
 * @throws `account.erasing`; `otherwise` if the user is suspended or does not exist
 */
export function requireActive(profile: UserRecord | null, otherwise: ErrorCode): UserRecord {
  if (profile?.status === 'ERASING') throw new AppError('account.erasing');
  if (profile?.status !== 'ACTIVE') throw new AppError(otherwise);
  return profile;
}

/** Length of a random id, and of a mark, in characters of base64url. */
const PART = 22;
/** Maximum number of accounts marked in a client text. The least recently used ones are dropped. */
const MAX_ACCOUNTS = 8;
const FORM = new RegExp(`^[\\w-]{${PART}}(?:[\\w-]{${PART}}){1,${MAX_ACCOUNTS}}$`);

interface IssuedClient {
  /** Text that the client sends from now on. */
  readonly client: string;
  /** True if the client had logged in to the account before. */
  readonly wasKnown: boolean;
}

export type KnownClients = ReturnType<typeof createKnownClients>;

/**
 * Issues client texts, which prove that a client has logged in to an account before: a random id, and for each account
 * a mark that only the server can make. Nothing is stored, so they add no cost to a login.
 */
export function createKnownClients({ secrets }: { readonly secrets: Secrets }) {
  /**
   * Returns the marks that identify a client to an account, that of the current key first, then that of the previous
   * one.
   */
  const marksOf = (id: string, userId: string) =>
    secrets.digests(`client/${id}/${userId}`).map((digest) => digest.slice(0, PART));

  function partsOf(client: string | null): { readonly id: string; readonly marks: readonly string[] } | null {
    if (client === null || !FORM.test(client)) return null;
    return { id: client.slice(0, PART), marks: client.slice(PART).match(new RegExp(`.{${PART}}`, 'g')) ?? [] };
  }

  /** Identifies a client that has logged in to the account before; null for other clients. */
  function knownAs(client: string | null, userId: string): string | null {
    const parts = partsOf(client);
    if (parts === null) return null;
    return marksOf(parts.id, userId).some((mark) => parts.marks.includes(mark)) ? `${userId}/${parts.id}` : null;
  }

  return {
    knownAs,
    /**
     * Identifies all clients that have logged in to the account before. They share one budget of guesses at codes: an
     * attacker who knows the password can make any number of clients known, but must not get more guesses that way.
     */
    sharedBy: (client: string | null, userId: string, secret: GuessedSecret): string | null =>
      knownAs(client, userId) === null ? null : `clients/${userId}/${secret}`,
    /** Makes the client known after a login to the account. Accounts of earlier logins stay known. */
    issue(client: string | null, userId: string): IssuedClient {
      const { id, marks } = partsOf(client) ?? { id: secrets.token(), marks: [] };
      const own = marksOf(id, userId);
      const others = marks.filter((mark) => !own.includes(mark));
      const kept = others.slice(0, MAX_ACCOUNTS - 1);
      return { client: [id, ...own.slice(0, 1), ...kept].join(''), wasKnown: others.length < marks.length };
    },
  };
}
