import { type Actor, requireUser } from '../actor.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Passwords } from '../ports/passwords.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { UserIdentity, UserRecord } from '../ports/storage/users.ts';
import { attemptAt, limitGuesses, type RateLimiter } from '../protection/rate-limits.ts';
import { issueSession } from '../sessions/sessions.ts';
import { checkUserName, isInternalName, userKey, userName } from './names.ts';
import { newUser } from './new-user.ts';
import { checkPassword } from './passwords.ts';
import { parseSections, replaceSections, type SectionsInput } from './sections.ts';

export interface SignUp {
  readonly username: string;
  readonly password: string;
  readonly sections: SectionsInput;
  /** Where the request comes from, for the limits. */
  readonly address: string;
}

/** A profile and the token of the session that goes with it. */
export interface SignedIn {
  readonly profile: UserRecord;
  readonly token: string;
}

export interface ProfileChange {
  /** A new name: only for users whose name was generated. */
  readonly username: string | null;
  readonly sections: SectionsInput;
}

export interface PasswordChange {
  readonly old: string;
  readonly new: string;
  /** Where the request comes from, for the limits. */
  readonly address: string;
}

export interface UsersDeps {
  readonly storage: Storage;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly limiter: RateLimiter;
}

export type Users = ReturnType<typeof createUsers>;

/**
 * Ends what a user has going: sessions but for `except`, and the devices that are not that one's, as a log-out does;
 * every node forgets what it knows of them.
 */
export async function endSessions(stores: Stores, userId: string, except: string | null): Promise<void> {
  // The devices before the sessions, as logins take them: in two orders they would wait for each other.
  const kept = except === null ? null : await stores.sessions.find(except);
  await stores.devices.removeOfUser(userId, kept?.session.userId === userId ? kept.session.deviceId : null);
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

/** What a user does with their own account. */
export function createUsers({ storage, passwords, secrets, clock, limiter }: UsersDeps) {
  async function own(stores: Stores, { id }: UserIdentity): Promise<UserRecord> {
    const profile = await stores.users.find(id);
    if (profile === null) throw new AppError('auth.required');
    return profile;
  }

  return {
    /**
     * Registers a user, who is then logged in.
     *
     * @throws `user.name_invalid`, `user.internal`, `user.exists`, `user.password_invalid`, `user.section_invalid`,
     *   `user.email_invalid`, `rate.limited`
     */
    async signUp(_actor: Actor, { username, password, sections, address }: SignUp): Promise<SignedIn> {
      checkUserName(username);
      checkPassword(password);
      const given = parseSections(sections);
      await limiter.take({ 'signUp/address': address, 'signUp/account': userKey(username) });
      const passwordHash = await passwords.hash(password);
      const now = clock.now();
      const user = newUser({ id: secrets.uuid(now), name: username, sections: given, passwordHash, now });
      const token = await storage.transaction(async (stores) => {
        if (!(await stores.users.add(user))) throw new AppError('user.exists');
        return issueSession(stores, { secrets, now, userId: user.id, login: null });
      });
      return { profile: user, token };
    },

    /** The caller's own profile. @throws `auth.required` */
    async me(actor: Actor): Promise<UserRecord> {
      return own(storage, requireUser(actor));
    },

    /**
     * Replaces the sections that are sent, and the name if it was generated.
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

    /** Sessions live on. @throws `auth.required`, `user.name_invalid`, `user.internal`, `user.exists` */
    async rename(actor: Actor, username: string): Promise<void> {
      const { id, name } = requireUser(actor);
      // Under another name the administrator of the service would be made anew at the next start.
      if (isInternalName(name)) throw new AppError('user.internal');
      checkUserName(username);
      await storage.transaction((stores) => renameUser(stores, id, username));
    },

    /**
     * Sets another password. The caller's session lives on, every other one of theirs ends.
     *
     * @throws `auth.required`, `user.old_password_invalid`, `user.password_invalid`, `rate.limited`, `passwords.busy`
     */
    async changePassword(actor: Actor, change: PasswordChange): Promise<void> {
      const { id, name } = requireUser(actor);
      checkPassword(change.new);
      const key = userKey(name);
      const guess = await limitGuesses(limiter, attemptAt('login', key, change.address), async () => {
        const credentials = await storage.users.credentials(key);
        return (await passwords.verify(credentials?.passwordHash ?? null, change.old)) || null;
      });
      if (guess.isLast) await storage.announcer.announce({ topic: 'user', key: id });
      if (guess.result === null) throw new AppError('user.old_password_invalid');
      const passwordHash = await passwords.hash(change.new);
      await storage.transaction(async (stores) => {
        await stores.users.update(id, { passwordHash });
        await endSessions(stores, id, actor.sessionId);
      });
    },

    /** Suspends the caller: all their sessions end, and only an administrator brings them back. @throws `auth.required` */
    async suspend(actor: Actor): Promise<void> {
      await storage.transaction((stores) => suspendUser(stores, requireUser(actor)));
    },
  };
}

/** Nobody suspends the administrator of the service. @throws `user.internal` */
export async function suspendUser(stores: Stores, { id, name }: UserIdentity): Promise<void> {
  if (isInternalName(name)) throw new AppError('user.internal');
  await stores.users.update(id, { status: 'SUSPENDED' });
  await endSessions(stores, id, null);
}
