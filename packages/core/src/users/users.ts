import { type Actor, requireUser } from '../actor.ts';
import { markNewUser } from '../changes/marks.ts';
import { AppError, isAppError } from '../errors.ts';
import { checkUserName, isInternalName, userKey, userName } from '../names/names.ts';
import type { Clock } from '../ports/clock.ts';
import type { Passwords } from '../ports/passwords.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { UserIdentity, UserRecord } from '../ports/storage/users.ts';
import type { RateLimiter } from '../protection/rate-limits.ts';
import type { FreshLogin } from '../sessions/fresh-login.ts';
import type { KnownClients } from '../sessions/known-clients.ts';
import { beginSession, type LoggedIn, type LoginOrigin } from '../sessions/new-session.ts';
import type { SessionUseCases } from '../sessions/sessions.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { newUser } from './new-user.ts';
import type { PasswordRules } from './passwords.ts';
import { makePermanent } from './permanence.ts';
import { parseSections, replaceSections, type SectionsInput } from './sections.ts';
import { createSignUpKeys } from './sign-up-keys.ts';

export interface SignUp {
  readonly username: string;
  readonly password: string;
  readonly sections: SectionsInput;
  /** The client's network address, for rate limits. */
  readonly address: string;
  /** What an earlier login gave to the client; null when it sent nothing. */
  readonly client: string | null;
  readonly origin: LoginOrigin;
  /** The idempotency key; null when there is none. */
  readonly key: string | null;
}

export interface SignedUp extends LoggedIn {
  /** Whether an earlier request with this key created the user. */
  readonly isReplay: boolean;
}

export interface ProfileChange {
  /** A new name: only for users whose name was generated. */
  readonly username: string | null;
  readonly sections: SectionsInput;
}

export interface PasswordChange {
  /** The current password; null when a fresh login has to do. */
  readonly old: string | null;
  readonly new: string;
  /** The client's network address, for rate limits. */
  readonly address: string;
}

export interface UsersDeps {
  readonly storage: Storage;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  readonly settings: SettingsReader;
  readonly passwordRules: PasswordRules;
  readonly freshLogin: FreshLogin;
  readonly sessions: SessionUseCases;
  readonly knownClients: KnownClients;
}

export type Users = ReturnType<typeof createUsers>;

/**
 * Ends the user's sessions except `except`, and removes their devices except the one of that session, as a logout does.
 * Every node drops its cached data of the user.
 */
export async function endSessions(stores: Stores, userId: string, except: string | null): Promise<void> {
  // Devices before sessions, in the order in which logins lock them: otherwise the two could deadlock.
  const current = except === null ? null : await stores.sessions.find(except);
  await stores.devices.removeOfUser(userId, current?.session.userId === userId ? current.session.deviceId : null);
  await stores.sessions.removeOfUser(userId, except);
  await stores.announcer.announce({ topic: 'user', key: userId });
}

/** @throws `user.exists`, `user.not_found` */
export async function renameUser(stores: Stores, userId: string, username: string): Promise<void> {
  const renamed = await stores.users.rename(userId, userName(username));
  if (renamed === null) throw new AppError('user.not_found');
  if (!renamed) throw new AppError('user.exists');
  await stores.announcer.announce({ topic: 'user', key: userId });
}

/** What users do with their own account. */
export function createUsers(deps: UsersDeps) {
  const { storage, passwords, secrets, clock, limiter, settings, passwordRules, freshLogin, knownClients, sessions } =
    deps;
  const signUpKeys = createSignUpKeys({ storage, secrets, clock });

  async function own(stores: Stores, { id }: UserIdentity): Promise<UserRecord> {
    const profile = await stores.users.find(id);
    if (profile === null) throw new AppError('auth.required');
    return profile;
  }

  /** A password that is not the user's makes the request another one. @throws `idempotency.mismatch`, as `login` */
  async function logInAgain(actor: Actor, { username, password, address, client, origin }: SignUp): Promise<LoggedIn> {
    try {
      return await sessions.login(actor, { username, password, code: null, login: null, address, client, origin });
    } catch (error) {
      throw isAppError(error) && error.code === 'auth.invalid' ? new AppError('idempotency.mismatch') : error;
    }
  }

  return {
    /**
     * Registers a user and logs them in. A repeated request with the same key logs in, as `login` does.
     *
     * @throws `registration.closed`, `user.name_invalid`, `user.internal`, `user.exists`, `user.password_invalid`,
     *   `password.too_weak`, `user.section_invalid`, `user.email_invalid`, `rate.limited`, `idempotency.mismatch`,
     *   the errors of `login` for a repeated request
     */
    async signUp(actor: Actor, signUp: SignUp): Promise<SignedUp> {
      const { username, password, sections, address, client, origin } = signUp;
      if (!(await settings.current())['registration.open']) throw new AppError('registration.closed');
      checkUserName(username);
      const given = parseSections(sections);
      await limiter.take({ 'signUp/address': address, 'signUp/account': userKey(username) });
      await passwordRules.check({ password, username });
      const passwordHash = await passwords.hash(password);
      const now = clock.now();
      const user = newUser({ id: secrets.uuid(now), name: username, sections: given, passwordHash, now });
      const token = await storage.transaction(async (stores) => {
        if (!(await stores.users.add(user))) return null;
        await markNewUser(stores, user.id, now);
        await signUpKeys.keep(stores, user.id, signUp);
        const began = { ...origin, factor: null };
        const session = { secrets, now, userId: user.id, login: null, origin: began, most: 0 };
        return secrets.sign(await beginSession(stores, session));
      });
      if (token !== null) return { profile: user, token, client: knownClients.issue(client, user.id), isReplay: false };
      if (!(await signUpKeys.isRepeated(signUp))) throw new AppError('user.exists');
      return { ...(await logInAgain(actor, signUp)), isReplay: true };
    },

    /** The caller's own profile. @throws `auth.required` */
    async me(actor: Actor): Promise<UserRecord> {
      return own(storage, requireUser(actor));
    },

    /**
     * Replaces the sections that are sent, and a generated name.
     *
     * @throws `auth.required`, `user.section_invalid`, `user.email_invalid`, `user.name_fixed`, `user.name_invalid`,
     *   `user.internal`, `user.exists`
     */
    async update(actor: Actor, { username, sections }: ProfileChange): Promise<UserRecord> {
      const user = requireUser(actor);
      const given = parseSections(sections);
      return storage.transaction(async (stores) => {
        const before = await own(stores, user);
        if (username !== null && username !== before.name) {
          if (!before.generated) throw new AppError('user.name_fixed');
          checkUserName(username);
          await renameUser(stores, user.id, username);
        }
        return (await replaceSections(stores, user.id, { sections: given })) ?? own(stores, user);
      });
    },

    /** Sessions stay valid. @throws `auth.required`, `user.name_invalid`, `user.internal`, `user.exists` */
    async rename(actor: Actor, username: string): Promise<void> {
      const { id, name } = requireUser(actor);
      // If the built-in administrator had another name, the next start would create a new one.
      if (isInternalName(name)) throw new AppError('user.internal');
      checkUserName(username);
      await storage.transaction((stores) => renameUser(stores, id, username));
    },

    /**
     * Changes the password. Needs the old one or a fresh login. The caller's session stays valid; all other sessions of the
     * user end. Makes a guest permanent.
     *
     * @throws `auth.required`, `auth.fresh_login_required`, `user.old_password_invalid`, `user.password_invalid`,
     *   `password.too_weak`, `rate.limited`, `passwords.busy`
     */
    async changePassword(actor: Actor, change: PasswordChange): Promise<void> {
      const { id, name } = requireUser(actor);
      await freshLogin.ensure(actor, { password: change.old, address: change.address });
      await passwordRules.check({ password: change.new, username: name, input: '/new' });
      const passwordHash = await passwords.hash(change.new);
      await storage.transaction(async (stores) => {
        const user = await stores.users.update(id, {});
        if (user === null) throw new AppError('auth.required');
        await makePermanent(stores, { user, sessionId: actor.sessionId, now: clock.now() });
        await stores.users.update(id, { passwordHash });
        await endSessions(stores, id, actor.sessionId);
      });
    },

    /** Ends all sessions of the caller except the current one. @throws `auth.required` */
    async endOtherSessions(actor: Actor): Promise<void> {
      const { id } = requireUser(actor);
      await storage.transaction((stores) => endSessions(stores, id, actor.sessionId));
    },

    /** Suspends the caller: all their sessions end, and only an administrator can activate them. @throws `auth.required` */
    async suspend(actor: Actor): Promise<void> {
      await storage.transaction((stores) => suspendUser(stores, requireUser(actor)));
    },
  };
}

/** The built-in administrator cannot be suspended. @throws `user.internal` */
export async function suspendUser(stores: Stores, { id, name }: UserIdentity): Promise<void> {
  if (isInternalName(name)) throw new AppError('user.internal');
  await stores.users.update(id, { status: 'SUSPENDED' });
  await endSessions(stores, id, null);
}
