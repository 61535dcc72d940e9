import { type Actor, requireAdmin, requireUser } from '../actor.ts';
import { type Audit, type RecordAct, userParty } from '../audit/audit.ts';
import { AppError, isAppError } from '../errors.ts';
import { addressIn } from '../names/email-address.ts';
import { userKey } from '../names/names.ts';
import type { Notice, Notices } from '../notices/notices.ts';
import type { Passwords } from '../ports/passwords.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Passkey } from '../ports/storage/passkeys.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import type { FreshLogin, Presence } from '../sessions/fresh-login.ts';
import { listSessions, type ShownSession } from '../sessions/sessions.ts';
import type { SettingsReader } from '../settings/settings.ts';
import type { TimeWatch } from '../time/time-watch.ts';
import { isUuid } from '../wire.ts';
import { endSessions } from './account-changes.ts';
import type { PasswordReset } from './password-reset.ts';
import { guardPrivileged } from './privileged.ts';
import { socialIn, withSocial } from './sections.ts';
import { findManaged } from './session-admin.ts';

/** Credentials and sessions of a user. */
export interface AccountAccess {
  /** Address to which a link for a new password is mailed; null if there is none. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly hasPassword: boolean;
  /** Time at which the second factor was turned on, in milliseconds; null if it is off. */
  readonly totpSince: number | null;
  /** Oldest first. */
  readonly passkeys: readonly Passkey[];
  /** Linked persons at social networks, by network. */
  readonly links: readonly { readonly network: string; readonly personId: string }[];
  /** Newest first, at most 1,000. */
  readonly sessions: readonly ShownSession[];
}

/** State of the mail with a link for a new password. */
type LinkMail = 'sent' | 'no_address' | 'failed';

/** Credentials removed from an account, and the state of the mail. */
export interface Secured {
  readonly totp: boolean;
  readonly passkeys: number;
  readonly networks: readonly string[];
  readonly mail: LinkMail;
}

export interface AccountAccessDeps {
  readonly storage: Storage;
  readonly settings: SettingsReader;
  readonly secrets: Secrets;
  readonly passwords: Passwords;
  readonly freshLogin: FreshLogin;
  readonly passwordReset: PasswordReset;
  readonly audit: Audit;
  readonly notices: Notices;
  readonly timeWatch: TimeWatch;
}

export type AccountAccessUseCases = ReturnType<typeof createAccountAccess>;

/** Removes a user's links to these networks, also from the profile. The user must be locked. */
async function removeLinks(stores: Stores, user: UserRecord, networks: readonly string[]): Promise<void> {
  for (const network of networks) await stores.socialLinks.remove(user.id, network);
  const section = user.sections.visibleByRegisteredUsers;
  const left = Object.entries(socialIn(section)).filter(([network]) => !networks.includes(network));
  const visibleByRegisteredUsers = withSocial(section, Object.fromEntries(left));
  await stores.users.update(user.id, { sections: { visibleByRegisteredUsers } });
}

/** Lists the credentials and sessions of users, and removes them after a theft. */
export function createAccountAccess(deps: AccountAccessDeps) {
  const { storage, secrets, passwords, freshLogin, passwordReset, audit, notices } = deps;

  async function accessOf(actor: Actor, user: UserRecord): Promise<AccountAccess> {
    const [sessions, passkeys, links, totp, credentials] = await Promise.all([
      listSessions(deps, actor, user.id),
      storage.passkeys.list(user.id),
      storage.socialLinks.list(user.id),
      storage.factors.find(user.id),
      storage.users.credentials(userKey(user.name)),
    ]);
    return {
      email: addressIn(user.sections.visibleByTheUser),
      emailVerified: user.emailVerified,
      hasPassword: (credentials?.passwordHash ?? null) !== null,
      totpSince: totp?.confirmed ?? null,
      passkeys,
      links: links.map(({ network, personId }) => ({ network, personId })),
      sessions,
    };
  }

  /** Changes a locked user. @throws `user.not_found`, the errors of `findManaged` and `guardPrivileged` */
  async function change<T>(
    actor: Actor,
    { username, presence }: { readonly username: string; readonly presence: Presence },
    work: (
      stores: Stores,
      user: UserRecord,
      tools: { record: RecordAct; tell(notice: Notice): Promise<void> },
    ) => Promise<T>,
  ): Promise<T> {
    const before = await findManaged(storage, actor, username);
    const check = await guardPrivileged(freshLogin, { actor, presence, roles: [before.role] });
    const values = await notices.prepare();
    return audit.transaction(storage.transaction, async (stores, record) => {
      const user = await stores.users.update(before.id, {});
      if (user === null) throw new AppError('user.not_found');
      check(user.role);
      return work(stores, user, { record, tell: (notice) => notices.post(stores, values, user, notice) });
    });
  }

  return {
    /** Returns the access to the caller's account. @throws `auth.required` */
    async own(actor: Actor): Promise<AccountAccess> {
      const user = await storage.users.find(requireUser(actor).id);
      if (user === null) throw new AppError('auth.required');
      return accessOf(actor, user);
    },

    /** Returns the access to a user's account. @throws the errors of `findManaged` */
    async read(actor: Actor, username: string): Promise<AccountAccess> {
      return accessOf(actor, await findManaged(storage, actor, username));
    },

    /** Removes a passkey of a user. @throws `passkey.not_found`, the errors of `change` */
    removePasskey: (actor: Actor, { id, ...target }: { username: string; id: string; presence: Presence }) =>
      change(actor, target, async (stores, user, { record, tell }) => {
        const removed = isUuid(id) && (await stores.passkeys.remove(user.id, id.toLowerCase()));
        if (!removed) throw new AppError('passkey.not_found');
        await tell({ kind: 'passkey.removed', network: null });
        record(actor, 'passkey.removed', { to: userParty(user), details: { passkey: id.toLowerCase() } });
      }),

    /** Removes a user's link to a social network. @throws `social.not_linked`, the errors of `change` */
    unlink: (actor: Actor, { network, ...target }: { username: string; network: string; presence: Presence }) =>
      change(actor, target, async (stores, user, { record, tell }) => {
        const links = await stores.socialLinks.list(user.id);
        if (!links.some((link) => link.network === network)) throw new AppError('social.not_linked');
        await removeLinks(stores, user, [network]);
        await tell({ kind: 'social.unlinked', network: null });
        record(actor, 'social.unlinked', { to: userParty(user), details: { network } });
      }),

    /**
     * Turns the second factor of a user off and removes their passkeys, after a loss. Ends all sessions except the
     * caller's own. Resolves to true if there were any factors or passkeys.
     *
     * @throws the errors of `change`
     */
    resetFactors: (actor: Actor, username: string, presence: Presence) =>
      change(actor, { username, presence }, async (stores, user, { record, tell }) => {
        const totp = await stores.factors.remove(user.id);
        const passkeys = await stores.passkeys.removeOfUser(user.id);
        await endSessions(stores, user.id, actor.sessionId);
        if (totp) await tell({ kind: 'factor.off', network: null });
        if (passkeys > 0) await tell({ kind: 'passkey.removed', network: null });
        record(actor, 'factors.reset', { to: userParty(user), details: { totp, passkeys } });
        return totp || passkeys > 0;
      }),

    /**
     * Locks everybody out of an account, and mails its user a link for a new password. Ends all sessions except the
     * caller's own. Removes the password, the second factor, passkeys, links to social networks, and invitation codes.
     *
     * @throws `passwords.busy`, the errors of `change`
     */
    async secure(actor: Actor, username: string, presence: Presence): Promise<Secured> {
      requireAdmin(actor);
      // Of a text that nobody knows: the user must choose another password, and keeps being one who has a password.
      const passwordHash = await passwords.hash(secrets.token());
      const { user, ...removed } = await change(
        actor,
        { username, presence },
        async (stores, found, { record, tell }) => {
          const networks = (await stores.socialLinks.list(found.id)).map(({ network }) => network);
          await removeLinks(stores, found, networks);
          const totp = await stores.factors.remove(found.id);
          const passkeys = await stores.passkeys.removeOfUser(found.id);
          await stores.users.update(found.id, { passwordHash });
          await stores.invitationCodes.removeAllOf(found.id);
          await endSessions(stores, found.id, actor.sessionId);
          await tell({ kind: 'account.secured', network: null });
          record(actor, 'user.secured', {
            to: userParty(found),
            details: { totp, passkeys, networks: networks.join(' ') },
          });
          return { user: found, totp, passkeys, networks };
        },
      );
      const mail = await passwordReset.mailTo(actor, user).then(
        () => 'sent' as const,
        (error: unknown) => {
          if (!isAppError(error)) throw error;
          return error.code === 'reset.address_missing' ? 'no_address' : 'failed';
        },
      );
      return { ...removed, mail };
    },
  };
}
