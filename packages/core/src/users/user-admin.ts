import { isAdministrator, roleKey } from '../access.ts';
import { type Actor, requireAdmin } from '../actor.ts';
import { type Audit, userParty } from '../audit/audit.ts';
import { markUser } from '../changes/marks.ts';
import { AppError } from '../errors.ts';
import type { Hooks } from '../hooks/hooks.ts';
import { isInternalName, newUserName, userKey } from '../names/names.ts';
import type { Notices } from '../notices/notices.ts';
import type { Clock } from '../ports/clock.ts';
import type { Passwords } from '../ports/passwords.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { UserChange, UserRecord } from '../ports/storage/users.ts';
import type { Guesses } from '../protection/limits.ts';
import type { Removals } from '../removals.ts';
import type { FreshLogin, Presence } from '../sessions/fresh-login.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { isUuid } from '../wire.ts';
import { endSessions, recordProfile, renameUser, suspendUser } from './account-changes.ts';
import { recordNewUser } from './after-user.ts';
import { beforeUser } from './before-user.ts';
import { newUser } from './new-user.ts';
import type { PasswordRules } from './passwords.ts';
import { guardPrivileged, type RoleCheck } from './privileged.ts';
import { removeUser } from './removal.ts';
import { parseSections, type Replacement, replaceSections, type SectionsInput } from './sections.ts';

export interface UserCreation {
  readonly username: string;
  readonly password: string;
  /** Role name or alias; null for `registereduser`. */
  readonly role: string | null;
  readonly sections: SectionsInput;
  readonly presence: Presence;
}

/** Members that are null stay unchanged. */
export interface UserAdminChange {
  readonly username: string | null;
  readonly role: string | null;
  readonly sections: SectionsInput;
  /** Required for another address (see `FreshLogin.ensureForAddress`), and for administrators and BackOffice users. */
  readonly presence: Presence;
}

export interface PasswordSetting {
  readonly password: string;
  readonly presence: Presence;
}

export interface UserAdminDeps {
  readonly storage: Storage;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  readonly passwordRules: PasswordRules;
  readonly freshLogin: FreshLogin;
  readonly guesses: Guesses;
  readonly audit: Audit;
  readonly notices: Notices;
  readonly removals: Removals;
  readonly hooks: Hooks;
  /** Removes the rest of the documents that go with removed ones. */
  readonly cascades: { finish(): Promise<void> };
}

export type UserAdmin = ReturnType<typeof createUserAdmin>;

/**
 * Account management for administrators. Every method: @throws `auth.required`, `admin.required`; each change of an
 * administrator or BackOffice user: as `guardPrivileged`
 */
export function createUserAdmin(deps: UserAdminDeps) {
  const { storage, passwords, secrets, clock, passwordRules, freshLogin, guesses, audit, notices, removals } = deps;
  const { settings, hooks, cascades } = deps;

  /**
   * Returns the role's name as spelled at creation. Users cannot have the role `anonymous`. @throws `role.not_found`
   */
  async function roleNamed(stores: Stores, name: string): Promise<string> {
    const role = await stores.roles.findByKey(roleKey(name));
    if (role === null || role.name === 'anonymous') throw new AppError('role.not_found', { detail: `"${name}"` });
    return role.name;
  }

  /** @throws `user.not_found` */
  async function find(stores: Stores, username: string): Promise<UserRecord> {
    const user = await stores.users.findByKey(userKey(username));
    if (user === null) throw new AppError('user.not_found');
    return user;
  }

  /**
   * Finds a user by name, or else by id. The id allows renaming, suspending and removing users whose names predate the
   * rules for names and cannot be part of a path. Rejects the built-in administrator, so that one always exists.
   *
   * @throws `user.internal`, `user.not_found`
   */
  async function findOrdinary(stores: Stores, nameOrId: string): Promise<UserRecord> {
    if (isInternalName(nameOrId)) throw new AppError('user.internal');
    const byId = isUuid(nameOrId) ? await stores.users.find(nameOrId.toLowerCase()) : null;
    const user = byId ?? (await find(stores, nameOrId));
    if (isInternalName(user.name)) throw new AppError('user.internal');
    return user;
  }

  /** Guards a user as `guardPrivileged`. @param role new role of the user, if it changes */
  function guard(actor: Actor, user: UserRecord, presence: Presence, role = user.role): Promise<RoleCheck> {
    return guardPrivileged(freshLogin, { actor, presence, roles: [user.role, role] });
  }

  /**
   * Replaces sections and the role. A different role changes which documents the user may read. @throws
   * `user.not_found`
   */
  async function replace(stores: Stores, id: string, change: UserChange, by: Replacement): Promise<UserRecord> {
    // An empty update locks the user, so that this is the role that the change replaces.
    const before = await stores.users.update(id, {});
    const changed = await replaceSections(stores, id, change, by);
    if (before === null || changed === null) throw new AppError('user.not_found');
    const isOther = roleKey(changed.role) !== roleKey(before.role);
    if (isOther) await markUser(stores, id, { reason: 'role', now: clock.now() });
    // Administrators invite to any group.
    if (isOther && isAdministrator(before.role)) await stores.invitationCodes.removeAllOf(id);
    return changed;
  }

  return {
    /** @throws `user.*`, `password.too_weak`, `role.not_found` */
    async create(actor: Actor, { password, role, sections, presence, ...chosen }: UserCreation): Promise<UserRecord> {
      requireAdmin(actor);
      const username = newUserName(chosen.username);
      await passwordRules.check({ password, username });
      const sent = parseSections(sections);
      const roleName = role === null ? null : await roleNamed(storage, role);
      if (roleName !== null) await guardPrivileged(freshLogin, { actor, presence, roles: [roleName] });
      const given = await beforeUser(hooks, actor, { username, sections: sent });
      const passwordHash = await passwords.hash(password);
      const now = clock.now();
      const registration = { id: secrets.uuid(now), name: username, sections: given, passwordHash, now };
      const user = newUser(roleName === null ? registration : { ...registration, role: roleName });
      await audit.transaction(storage.transaction, async (stores, record) => {
        if (!(await stores.users.add(user))) throw new AppError('user.exists');
        await recordNewUser(stores, deps, user.id, now);
        record(actor, 'user.created', { to: userParty(user), details: { role: user.role } });
      });
      return user;
    },

    /** @throws `user.not_found` */
    async read(actor: Actor, username: string): Promise<UserRecord> {
      requireAdmin(actor);
      return find(storage, username);
    },

    /**
     * Changes a user. Only ordinary users can get another name or role. Another address needs a fresh login of the
     * administrator.
     *
     * @throws `user.*`, `role.not_found`, the errors of `FreshLogin.ensureForAddress`
     */
    async update(actor: Actor, username: string, change: UserAdminChange): Promise<UserRecord> {
      requireAdmin(actor);
      const sections = parseSections(change.sections);
      const newName = change.username === null ? null : newUserName(change.username);
      const findChanged = newName !== null || change.role !== null ? findOrdinary : find;
      const before = await findChanged(storage, username);
      const newRole = change.role === null ? undefined : await roleNamed(storage, change.role);
      const { presence } = change;
      const check = await guard(actor, before, presence, newRole);
      const own = sections.visibleByTheUser;
      const mayChangeAddress =
        own !== undefined && (await freshLogin.ensureForAddress(actor, { before, own, presence }));
      const [values, current] = [await notices.prepare(), await settings.current()];
      return audit.transaction(storage.transaction, async (stores, record) => {
        const user = await findChanged(stores, username);
        check(user.role);
        const role = change.role === null ? {} : { role: await roleNamed(stores, change.role) };
        if (newName !== null) await renameUser(stores, user.id, newName, { now: clock.now(), values: current });
        const notify = (former: UserRecord) => notices.addressChanged(stores, values, former);
        const by = { now: clock.now(), mayChangeAddress, notify };
        const changed = await replace(stores, user.id, { sections, ...role }, by);
        await stores.announcer.announce({ topic: 'user', key: user.id });
        recordProfile(record, actor, user, changed);
        const renamed = { kind: 'username.changed', network: null } as const;
        if (changed.name !== user.name) await notices.post(stores, values, changed, renamed);
        return changed;
      });
    },

    /**
     * Sets the password, and ends a lockout of the user and all sessions except the caller's own.
     *
     * @throws `user.not_found`, `user.password_invalid`, `password.too_weak`, `auth.fresh_login_required`
     */
    async setPassword(actor: Actor, username: string, { password, presence }: PasswordSetting): Promise<void> {
      requireAdmin(actor);
      const check = await guard(actor, await find(storage, username), presence);
      await passwordRules.check({ password, username });
      const passwordHash = await passwords.hash(password);
      const values = await notices.prepare();
      await audit.transaction(storage.transaction, async (stores, record) => {
        const found = await find(stores, username);
        check(found.role);
        await stores.users.update(found.id, { passwordHash });
        await endSessions(stores, found.id, actor.sessionId);
        await notices.post(stores, values, found, { kind: 'password.changed', network: null });
        record(actor, 'password.set', { to: userParty(found) });
      });
      await guesses.forgive(userKey(username));
    },

    /** Suspends the user and ends all their sessions. @throws `user.not_found`, `user.internal` */
    async suspend(actor: Actor, username: string, presence: Presence): Promise<void> {
      requireAdmin(actor);
      const check = await guard(actor, await findOrdinary(storage, username), presence);
      await audit.transaction(storage.transaction, async (stores, record) => {
        const found = await findOrdinary(stores, username);
        check(found.role);
        await suspendUser(stores, found);
        record(actor, 'user.suspended', { to: userParty(found) });
      });
    },

    /** Ends a suspension, and allows logins without a verified address. @throws `user.not_found` */
    async activate(actor: Actor, username: string, presence: Presence): Promise<void> {
      requireAdmin(actor);
      const check = await guard(actor, await find(storage, username), presence);
      await audit.transaction(storage.transaction, async (stores, record) => {
        const found = await find(stores, username);
        check(found.role);
        await stores.users.update(found.id, { status: 'ACTIVE' });
        await stores.emails.waive(found.id);
        await stores.announcer.announce({ topic: 'user', key: found.id });
        record(actor, 'user.activated', { to: userParty(found) });
      });
    },

    /**
     * Removes the user with all their data. The user is gone when this resolves. If there is much data, some documents
     * and files may be removed later.
     *
     * @throws `user.not_found`, `user.internal`
     */
    async remove(actor: Actor, username: string, presence: Presence): Promise<void> {
      requireAdmin(actor);
      const check = await guard(actor, await findOrdinary(storage, username), presence);
      await audit.transaction(storage.transaction, async (stores, record) => {
        const found = await findOrdinary(stores, username);
        check(found.role);
        if (!(await removeUser(stores, found.id, { now: clock.now() }))) throw new AppError('user.not_found');
        record(actor, 'user.removed', { to: userParty(found) });
      });
      await removals.finish();
      await cascades.finish();
    },
  };
}
