import { isPrivileged } from '../access.ts';
import { type Actor, requireUser } from '../actor.ts';
import { userParty } from '../audit/audit.ts';
import { AppError } from '../errors.ts';
import { hasOtherAddress } from '../names/email-address.ts';
import { userKey } from '../names/names.ts';
import type { Passwords } from '../ports/passwords.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import { type GuessedSecret, networkOf } from '../protection/limits.ts';
import type { TimeWatch } from '../time/time-watch.ts';
import { lasts } from '../time/waits.ts';
import type { Authentication } from './authentication.ts';

/** Time for which a login is fresh, in milliseconds. */
const FRESH_MS = 10 * 60_000;

/** Evidence that the user is present. */
export interface Presence {
  /** Password, if it was sent again. */
  readonly password: string | null;
  /** Network address of the client, for rate limits. */
  readonly address: string;
}

/** A section sent by a client, which may contain another address. */
interface AddressChange {
  /** The section's user, in the current state. */
  readonly before: UserRecord;
  readonly own: string;
  readonly presence: Presence;
}

export interface FreshLoginDeps {
  readonly storage: Storage;
  readonly authentication: Authentication;
  readonly passwords: Passwords;
  readonly timeWatch: Pick<TimeWatch, 'latest'>;
}

/**
 * Identifies the sessions of an account when they guess at one of its secrets, so that strangers cannot lock them out.
 * All sessions share one budget per secret, so more sessions do not allow more guesses.
 */
export const knownBySession = ({ user, sessionId }: Actor, secret: GuessedSecret) =>
  user === null || sessionId === null ? null : `session/${user.id}/${secret}`;

export type FreshLogin = ReturnType<typeof createFreshLogin>;

/** Protects changes that would allow a stolen session to take over the account. */
export function createFreshLogin({ storage, authentication, passwords, timeWatch }: FreshLoginDeps) {
  async function checkPassword(actor: Actor, password: string, address: string): Promise<void> {
    const user = requireUser(actor);
    const key = userKey(user.name);
    const wrong = ['user.old_password_invalid'] as const;
    const login = { method: 'confirmation', network: networkOf(address), to: userParty(user), wrong } as const;
    await authentication.attempt(login, async (attempt) => {
      await attempt.guess({ key, address, knownAs: knownBySession(actor, 'password') });
      const credentials = await storage.users.credentials(key);
      const isRight = await passwords.verify(credentials?.passwordHash ?? null, password);
      if (!isRight) throw new AppError('user.old_password_invalid');
    });
  }

  const freshLogin = {
    /**
     * Requires the password, or a login or sign-up of the last ten minutes. Not required of callers without a session,
     * who have just sent their password, and of guests, who cannot log in, unless they have a role that reads
     * everything: the session of such a guest would be enough to give others lasting access.
     *
     * @throws `auth.required`, `auth.fresh_login_required`, `user.old_password_invalid`, `auth.locked`, `rate.limited`,
     * `passwords.busy`
     */
    async ensure(actor: Actor, { password, address }: Presence): Promise<void> {
      const { id } = requireUser(actor);
      if (password !== null) return checkPassword(actor, password, address);
      if (actor.sessionId === null) return;
      const loggedIn = await storage.sessions.loggedIn(actor.sessionId);
      if (loggedIn !== null && lasts(loggedIn + FRESH_MS, timeWatch.latest(), FRESH_MS)) return;
      const user = await storage.users.find(id);
      if (!user?.guest || isPrivileged(user.role)) throw new AppError('auth.fresh_login_required');
    },

    /**
     * As `ensure`, if a section sent by a client changes or removes the user's address. With their own address, an
     * attacker with a stolen session could reset the password.
     *
     * API keys of administrators may change the addresses of users, except of administrators and BackOffice users.
     *
     * @returns true if the address may change
     * @throws the errors of `ensure`, `key.user_required`
     */
    async ensureForAddress(actor: Actor, { before, own, presence }: AddressChange): Promise<boolean> {
      if (!hasOtherAddress(before.sections.visibleByTheUser, own)) return false;
      const isByKey = actor.key !== null && !isPrivileged(before.role);
      if (!isByKey) await freshLogin.ensure(actor, presence);
      return true;
    },
  };
  return freshLogin;
}
