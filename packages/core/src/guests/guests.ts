import { type Actor, requireUser } from '../actor.ts';
import { type Audit, userParty } from '../audit/audit.ts';
import { AppError } from '../errors.ts';
import type { Hooks } from '../hooks/hooks.ts';
import { newUserName, userKey } from '../names/names.ts';
import type { Passwords } from '../ports/passwords.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { RateLimiter } from '../protection/limits.ts';
import type { FreshLogin } from '../sessions/fresh-login.ts';
import {
  beginSession,
  type KnownClients,
  type LoggedIn,
  type LoginOrigin,
  mostSessionsOf,
} from '../sessions/logins.ts';
import type { SettingsReader } from '../settings/settings.ts';
import type { TimeWatch } from '../time/time-watch.ts';
import { renameUser } from '../users/account-changes.ts';
import { recordNewUser } from '../users/after-user.ts';
import { beforeUser } from '../users/before-user.ts';
import { newUser } from '../users/new-user.ts';
import type { PasswordRules } from '../users/passwords.ts';
import { makePermanent } from '../users/permanence.ts';
import { guardPrivileged } from '../users/privileged.ts';

export interface GuestSignUp {
  /** Network address of the client, for rate limits. */
  readonly address: string;
  /** Client text issued by an earlier login; null if the client sent none. */
  readonly client: string | null;
  readonly origin: LoginOrigin;
}

export interface ChosenCredentials {
  readonly username: string;
  readonly password: string;
  /** Network address of the client, for rate limits. */
  readonly address: string;
  /** Client text issued by an earlier login; null if the client sent none. */
  readonly client: string | null;
}

/** A former guest. */
export interface PermanentUser extends Omit<LoggedIn, 'token'> {
  /** Token of a new session; null if that of the request has ended meanwhile. */
  readonly token: string | null;
}

export interface GuestsDeps {
  readonly storage: Storage;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly limiter: RateLimiter;
  readonly settings: SettingsReader;
  readonly passwordRules: PasswordRules;
  readonly knownClients: KnownClients;
  readonly freshLogin: FreshLogin;
  readonly audit: Audit;
  readonly hooks: Hooks;
  readonly timeWatch: Pick<TimeWatch, 'latest'>;
}

export type Guests = ReturnType<typeof createGuests>;

/** Guests: users who have not chosen a name and a password yet. */
export function createGuests(deps: GuestsDeps) {
  const { storage, passwords, secrets, limiter, settings, passwordRules, knownClients, audit, hooks } = deps;
  const { freshLogin, timeWatch } = deps;

  return {
    /** Creates a guest and logs them in. @throws `guest.disabled`, `registration.closed`, `rate.limited` */
    async signUp(actor: Actor, { address, client, origin }: GuestSignUp): Promise<LoggedIn> {
      const values = await settings.current();
      if (!values['guests.allowed']) throw new AppError('guest.disabled');
      if (values['registration.verified.email']) {
        // Otherwise guests could become users without the verified address required of others.
        throw new AppError('guest.disabled', { detail: 'sign up with an address that you confirm' });
      }
      if (!values['registration.open']) throw new AppError('registration.closed');
      await limiter.take({ 'signUp/address': address });
      const sections = await beforeUser(hooks, actor, { username: null, sections: {} });
      // Otherwise a guest who signs up while the clock is slow is deleted soon after its correction.
      const now = timeWatch.latest();
      const profile = newUser({
        id: secrets.uuid(now),
        name: `guest-${secrets.token().toLowerCase()}`,
        sections,
        passwordHash: null,
        now,
        generated: true,
        guest: true,
      });
      const began = { ...origin, factor: null };
      const token = await audit.transaction(storage.transaction, async (stores, record) => {
        if (!(await stores.users.add(profile))) throw new AppError('user.exists');
        await recordNewUser(stores, deps, profile.id, now);
        const details = { method: 'guest' };
        record(actor, 'user.signed_up', { to: userParty(profile), network: origin.network, details });
        const session = { secrets, now, userId: profile.id, login: null, origin: began, most: 0 };
        return secrets.sign(await beginSession(stores, session));
      });
      return { profile, token, client: knownClients.issue(client, profile.id).client };
    },

    /**
     * Sets a name and a password for the calling guest, which makes them permanent. Begins a new session; that of the
     * request stays valid, but does not become fresh. A fresh login is not needed, because a guest cannot log in. Guests
     * who were made administrators need one: another administrator sets their first password.
     *
     * @throws `auth.required`, `guest.required`, `user.name_invalid`, `user.internal`, `user.exists`,
     * `user.password_invalid`, `password.too_weak`, `rate.limited`, `passwords.busy`, `auth.fresh_login_required`
     */
    async chooseCredentials(actor: Actor, credentials: ChosenCredentials): Promise<PermanentUser> {
      const { password, address, client, ...chosen } = credentials;
      const { id } = requireUser(actor);
      const before = await storage.users.find(id);
      if (before === null) throw new AppError('auth.required');
      if (!before.guest) throw new AppError('guest.required');
      const presence = { password: null, address };
      const check = await guardPrivileged(freshLogin, { actor, presence, roles: [before.role] });
      const username = newUserName(chosen.username);
      await limiter.take({ 'signUp/address': address, 'signUp/account': userKey(username) });
      await passwordRules.check({ password, username });
      const passwordHash = await passwords.hash(password);
      const values = await settings.current();
      return audit.transaction(storage.transaction, async (stores, record) => {
        const user = await stores.users.update(id, {});
        if (user === null) throw new AppError('auth.required');
        if (!user.guest) throw new AppError('guest.required');
        check(user.role);
        const now = timeWatch.latest();
        await renameUser(stores, id, username, { now, values });
        const { sessionId } = actor;
        const token = await makePermanent(stores, { user, sessionId, secrets, now, most: mostSessionsOf(values) });
        const profile = await stores.users.update(id, { passwordHash });
        if (profile === null) throw new AppError('auth.required');
        record(actor, 'password.changed', { to: userParty(profile), details: { before: before.name } });
        return { profile, token, client: knownClients.issue(client, id).client };
      });
    },
  };
}
