import { type Actor, requireUser } from '../actor.ts';
import { type Audit, userParty } from '../audit/audit.ts';
import { AppError, isAppError } from '../errors.ts';
import type { Hooks } from '../hooks/hooks.ts';
import { addressIn, emailKey } from '../names/email-address.ts';
import { isInternalName, newUserName, userKey } from '../names/names.ts';
import type { Notice, Notices } from '../notices/notices.ts';
import type { Clock } from '../ports/clock.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { Passwords } from '../ports/passwords.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { Sections, UserIdentity, UserRecord } from '../ports/storage/users.ts';
import type { RateLimiter } from '../protection/limits.ts';
import type { Authentication } from '../sessions/authentication.ts';
import type { FreshLogin, Presence } from '../sessions/fresh-login.ts';
import {
  beginSession,
  type KnownClients,
  type LoggedIn,
  type LoginOrigin,
  mostSessionsOf,
} from '../sessions/logins.ts';
import type { SessionUseCases } from '../sessions/sessions.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import type { TimeWatch } from '../time/time-watch.ts';
import { endSessions, recordProfile, renameUser, suspendUser } from './account-changes.ts';
import { recordNewUser } from './after-user.ts';
import { beforeUser } from './before-user.ts';
import type { EmailClaims } from './email-claims.ts';
import { newUser } from './new-user.ts';
import type { PasswordRules } from './passwords.ts';
import { makePermanent } from './permanence.ts';
import { parseSections, replaceSections, type SectionsInput } from './sections.ts';
import { createSignUpKeys } from './sign-up-keys.ts';

export interface SignUp {
  readonly username: string;
  readonly password: string;
  readonly sections: SectionsInput;
  /** Network address of the client, for rate limits. */
  readonly address: string;
  /** Client text issued by an earlier login; null if the client sent none. */
  readonly client: string | null;
  readonly origin: LoginOrigin;
  /** Idempotency key; null if there is none. */
  readonly key: string | null;
}

export interface SignedUp extends Omit<LoggedIn, 'token'> {
  /** Null if the user has to verify the address first. */
  readonly token: string | null;
  /** True if an earlier request with this key created the user. */
  readonly isReplay: boolean;
}

export interface ProfileChange {
  /** New name, only for users whose name was generated. */
  readonly username: string | null;
  readonly sections: SectionsInput;
  readonly presence: Presence;
}

export interface PasswordChange {
  /** Current password; null for users who have none. */
  readonly old: string | null;
  readonly new: string;
  /** Network address of the client, for rate limits. */
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
  readonly authentication: Authentication;
  readonly emailClaims: EmailClaims;
  readonly mailer: Mailer;
  readonly knownClients: KnownClients;
  readonly audit: Audit;
  readonly notices: Notices;
  readonly hooks: Hooks;
  readonly timeWatch: TimeWatch;
}

export type Users = ReturnType<typeof createUsers>;

/** Account management for users. */
export function createUsers(deps: UsersDeps) {
  const { storage, passwords, secrets, clock, limiter, settings, passwordRules, freshLogin, knownClients, sessions } =
    deps;
  const { authentication, emailClaims, mailer, audit, notices, hooks, timeWatch } = deps;
  const signUpKeys = createSignUpKeys({ storage, secrets, clock, timeWatch });

  async function own(stores: Stores, { id }: UserIdentity): Promise<UserRecord> {
    const profile = await stores.users.find(id);
    if (profile === null) throw new AppError('auth.required');
    return profile;
  }

  /** Locks the user, so that their state is what the transaction replaces. */
  async function lock(stores: Stores, { id }: UserIdentity): Promise<UserRecord> {
    const profile = await stores.users.update(id, {});
    if (profile === null) throw new AppError('auth.required');
    return profile;
  }

  /** Replaces a generated name. @throws `user.name_fixed`, `user.name_invalid`, `user.internal`, `user.exists` */
  async function chooseName(stores: Stores, user: UserRecord, username: string, values: SettingValues): Promise<void> {
    if (!user.generated) throw new AppError('user.name_fixed');
    await renameUser(stores, user.id, newUserName(username), { now: clock.now(), values });
  }

  const renamedBy = ({ network = null }: Actor): Notice => ({ kind: 'username.changed', network });

  /** @throws `input.invalid` if the user has a password, which must be sent */
  async function requireNoPassword({ id, name }: UserIdentity): Promise<void> {
    const credentials = await storage.users.credentials(userKey(name));
    if (credentials?.id !== id) throw new AppError('auth.required');
    if (credentials.passwordHash === null) return;
    throw new AppError('input.invalid', { detail: 'send the current password as old', input: '/old' });
  }

  /** Repeats a sign-up that began no session, and begins none now either. @throws as `login` */
  async function withoutSession({ username, password, address, client }: SignUp): Promise<Omit<SignedUp, 'isReplay'>> {
    const { userId, hasSecondFactor } = await authentication.check({ name: username, password, address, client });
    if (hasSecondFactor) throw new AppError('auth.second_factor_required', { detail: 'log in with POST /login' });
    const profile = await storage.users.find(userId);
    if (profile === null) throw new AppError('auth.invalid');
    return { profile, token: null, client: knownClients.issue(client, userId).client };
  }

  /** Repeats a sign-up. With a wrong password it is a different request. @throws `idempotency.mismatch`, as `login` */
  async function signUpAgain(actor: Actor, signUp: SignUp, awaitedEmail: boolean): Promise<SignedUp> {
    const { username, password, address, client, origin } = signUp;
    try {
      const login = { username, password, code: null, login: null, address, client, origin };
      const answer = awaitedEmail ? await withoutSession(signUp) : await sessions.login(actor, login);
      return { ...answer, isReplay: true };
    } catch (error) {
      throw isAppError(error) && error.code === 'auth.invalid' ? new AppError('idempotency.mismatch') : error;
    }
  }

  /** Returns the address to verify before the new user can log in. @throws `user.email_required`, `mail.unavailable` */
  async function awaitedEmail({ visibleByTheUser = '{}' }: Partial<Sections>): Promise<string> {
    const email = addressIn(visibleByTheUser);
    if (email === null) throw new AppError('user.email_required', { input: '/visibleByTheUser/email' });
    await mailer.requireSetUp();
    return email;
  }

  return {
    /**
     * Registers a user and logs them in. A repeated request with the same key logs in, as `login` does. If the settings
     * require a verified address, the user gets a mail instead of a session and logs in once the address is verified;
     * then a repeated request begins no session either.
     *
     * @throws `registration.closed`, `user.name_invalid`, `user.internal`, `user.exists`, `user.password_invalid`,
     * `password.too_weak`, `user.section_invalid`, `user.email_invalid`, `user.email_required`, `mail.unavailable`,
     * `rate.limited`, `idempotency.mismatch`, the errors of `login` for a repeated request
     */
    async signUp(actor: Actor, signUp: SignUp): Promise<SignedUp> {
      const { password, sections, address, client, origin } = signUp;
      const values = await settings.current();
      if (!values['registration.open']) throw new AppError('registration.closed');
      const username = newUserName(signUp.username);
      const sent = parseSections(sections);
      const email = values['registration.verified.email'] ? await awaitedEmail(sent) : null;
      const mailbox = email === null ? {} : { 'email/mailbox': emailKey(email) };
      await limiter.take({ 'signUp/address': address, 'signUp/account': userKey(username), ...mailbox });
      await passwordRules.check({ password, username });
      const given = await beforeUser(hooks, actor, { username, sections: sent });
      const passwordHash = await passwords.hash(password);
      const now = clock.now();
      const id = secrets.uuid(now);
      const awaitsEmail = email !== null;
      const user = newUser({ id, name: username, sections: given, passwordHash, now, awaitsEmail });
      const added = await audit.transaction(storage.transaction, async (stores, record) => {
        if (!(await stores.users.add(user))) return null;
        record(actor, 'user.signed_up', {
          to: userParty(user),
          network: origin.network,
          details: { method: 'password' },
        });
        await recordNewUser(stores, deps, id, now);
        await signUpKeys.keep(stores, signUp, user);
        if (email !== null) {
          await emailClaims.make(stores, values, { userId: id, name: username, email });
          return { token: null };
        }
        const began = { ...origin, factor: null };
        const session = { secrets, now: timeWatch.latest(), userId: id, login: null, origin: began, most: 0 };
        return { token: secrets.sign(await beginSession(stores, session)) };
      });
      if (added !== null) {
        return { profile: user, ...added, client: knownClients.issue(client, id).client, isReplay: false };
      }
      const earlier = await signUpKeys.earlier(signUp);
      if (earlier === null) throw new AppError('user.exists');
      return signUpAgain(actor, signUp, earlier.awaitedEmail);
    },

    /** Returns the caller's own profile. @throws `auth.required` */
    async me(actor: Actor): Promise<UserRecord> {
      return own(storage, requireUser(actor));
    },

    /**
     * Replaces the given sections, and a generated name. Changing or removing the address needs a fresh login. Choosing
     * the first name does not.
     *
     * @throws `auth.required`, `user.section_invalid`, `user.email_invalid`, `user.name_fixed`, `user.name_invalid`,
     * `user.internal`, `user.exists`, the errors of `FreshLogin.ensure`
     */
    async update(actor: Actor, { username, sections, presence }: ProfileChange): Promise<UserRecord> {
      const user = requireUser(actor);
      const given = parseSections(sections);
      const section = given.visibleByTheUser;
      const mayChangeAddress =
        section !== undefined &&
        (await freshLogin.ensureForAddress(actor, { before: await own(storage, user), own: section, presence }));
      const [values, current] = [await notices.prepare(), await settings.current()];
      return audit.transaction(storage.transaction, async (stores, record) => {
        const former = await (username === null ? own : lock)(stores, user);
        const isOtherName = username !== null && username !== former.name;
        if (isOtherName) await chooseName(stores, former, username, current);
        const notify = (before: UserRecord) => notices.addressChanged(stores, values, before);
        const replacement = { now: clock.now(), mayChangeAddress, notify };
        const replaced = await replaceSections(stores, user.id, { sections: given }, replacement);
        const changed = replaced ?? (await own(stores, user));
        recordProfile(record, actor, former, changed);
        if (isOtherName) await notices.post(stores, values, changed, renamedBy(actor));
        return changed;
      });
    },

    /**
     * Renames the caller. Sessions stay valid. Needs a fresh login, except of users whose name was generated: nobody
     * knows them by it.
     *
     * @throws `auth.required`, `user.name_invalid`, `user.internal`, `user.exists`, the errors of `FreshLogin.ensure`
     */
    async rename(actor: Actor, typed: string, presence: Presence): Promise<void> {
      const user = requireUser(actor);
      // If the built-in administrator had another name, the next start would create a new one.
      if (isInternalName(user.name)) throw new AppError('user.internal');
      const username = newUserName(typed);
      const needsFresh = !(await own(storage, user)).generated;
      if (needsFresh) await freshLogin.ensure(actor, presence);
      const [values, current] = [await notices.prepare(), await settings.current()];
      await audit.transaction(storage.transaction, async (stores, record) => {
        const former = await lock(stores, user);
        // Another request may have chosen a name meanwhile.
        if (!needsFresh && !former.generated) throw new AppError('auth.fresh_login_required');
        await renameUser(stores, user.id, username, { now: clock.now(), values: current });
        const renamed = { ...former, name: username };
        if (username !== former.name) {
          await notices.post(stores, values, renamed, renamedBy(actor));
        }
        record(actor, 'user.renamed', { to: userParty(renamed), details: { before: former.name } });
      });
    },

    /**
     * Changes the password. Needs the old one, or a fresh login of users without a password. The caller's session stays
     * valid; all other sessions of the user end. Makes a guest permanent, and resolves to the token of their new session.
     *
     * @throws `auth.required`, `input.invalid`, `auth.fresh_login_required`, `user.old_password_invalid`,
     * `user.password_invalid`, `password.too_weak`, `rate.limited`, `passwords.busy`
     */
    async changePassword(actor: Actor, change: PasswordChange): Promise<string | null> {
      const user = requireUser(actor);
      const { id, name } = user;
      if (change.old === null) await requireNoPassword(user);
      await freshLogin.ensure(actor, { password: change.old, address: change.address });
      await passwordRules.check({ password: change.new, username: name, input: '/new' });
      const passwordHash = await passwords.hash(change.new);
      const values = await notices.prepare();
      const most = mostSessionsOf(await settings.current());
      return audit.transaction(storage.transaction, async (stores, record) => {
        const found = await lock(stores, user);
        const changed = await stores.users.update(id, { passwordHash });
        const { sessionId } = actor;
        await endSessions(stores, id, sessionId);
        const begun = await makePermanent(stores, { user: found, sessionId, secrets, now: clock.now(), most });
        const notice = { kind: 'password.changed', network: actor.network ?? null } as const;
        if (changed !== null) await notices.post(stores, values, changed, notice);
        record(actor, 'password.changed', { to: userParty(user) });
        return begun;
      });
    },

    /** Ends all sessions of the caller except the current one. @throws `auth.required` */
    async endOtherSessions(actor: Actor): Promise<void> {
      const user = requireUser(actor);
      await audit.transaction(storage.transaction, async (stores, record) => {
        await endSessions(stores, user.id, actor.sessionId);
        record(actor, 'sessions.ended', { to: userParty(user) });
      });
    },

    /**
     * Suspends the caller. All their sessions end, and only an administrator can activate them again. Needs a fresh
     * login.
     *
     * @throws `auth.required`, `user.internal`, the errors of `FreshLogin.ensure`
     */
    async suspend(actor: Actor, presence: Presence): Promise<void> {
      const user = requireUser(actor);
      if (isInternalName(user.name)) throw new AppError('user.internal');
      await freshLogin.ensure(actor, presence);
      const values = await notices.prepare();
      await audit.transaction(storage.transaction, async (stores, record) => {
        const former = await lock(stores, user);
        await suspendUser(stores, former);
        const notice = { kind: 'account.suspended', network: actor.network ?? null } as const;
        await notices.post(stores, values, former, notice);
        record(actor, 'user.suspended', { to: userParty(user) });
      });
    },
  };
}
