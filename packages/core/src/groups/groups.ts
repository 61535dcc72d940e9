import { type Actor, blockableViewer, requireAdmin, requireSignedIn, requireUser } from '../actor.ts';
import { AppError } from '../errors.ts';
import { type Hooks, precededBy, type ShowToHooks } from '../hooks/hooks.ts';
import type { Transact } from '../idempotency/idempotency.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { SentInvitation } from '../ports/storage/group-invitations.ts';
import type { CountedGroup, GroupMember, GroupRole, OwnGroup, RowPage } from '../ports/storage/groups.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { RateLimiter } from '../protection/limits.ts';
import type { Removals } from '../removals.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { admit } from './admission.ts';
import {
  announceMembership,
  checkOwn,
  giveRole,
  idOf,
  lockNamed,
  MAX_GROUPS_OF_USER,
  refuseBlocked,
  roleOf,
  unknownUser,
  userIdOf,
} from './membership.ts';

import { allow, findGroup, type Standing, standingOf } from './standing.ts';

export interface GroupPath {
  readonly id: string;
}

export interface MemberPath extends GroupPath {
  readonly username: string;
}

interface MemberPut extends MemberPath {
  readonly role: GroupRole;
  readonly limits: SettingValues;
  readonly show: ShowToHooks<'group.join'>;
}

const MAX_NAME_LENGTH = 128;
const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** @throws `group.name_invalid` */
function checkName(name: string): void {
  const isPlain = name.trim() === name && name !== '' && !CONTROL.test(name);
  if (!isPlain || Array.from(name).length > MAX_NAME_LENGTH) {
    throw new AppError('group.name_invalid', { input: '/name' });
  }
}

/**
 * Checks a change of a user's role from `held` (null: not a member) to `wanted`.
 *
 * @throws `access.denied`, `group.owner_required`
 */
function checkChange({ manages, owns }: Standing, held: GroupRole | null, wanted: GroupRole): void {
  const isPlain = wanted === 'member' && (held === null || held === 'member');
  allow(owns || (manages && isPlain));
  if (held === 'owner' && wanted !== 'owner') throw new AppError('group.owner_required');
}

export interface GroupsDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  readonly removals: Removals;
  readonly hooks: Hooks;
  readonly limiter: RateLimiter;
}

export type Groups = ReturnType<typeof createGroups>;

/**
 * Groups of users, to which rights are granted. To non-members a group does not exist; administrators see all. Every
 * method: @throws `auth.required`, and with an id `group.not_found`
 */
export function createGroups({ storage, secrets, clock, settings, removals, hooks, limiter }: GroupsDeps) {
  const apart: Transact = (work) => storage.transaction(work);

  /** Finds a group as `findGroup`, and locks it with its members until the transaction ends. */
  async function enter(stores: Stores, actor: Actor, id: string): Promise<OwnGroup> {
    await stores.groups.lock(id);
    return findGroup(stores, actor, id);
  }

  /**
   * Counts an invitation against the limit of its sender for this user. Not those of administrators, who add users for
   * others. A user who blocks the sender has to look unknown, so nothing is counted at them.
   *
   * @throws `rate.limited`
   */
  async function countInvitation(actor: Actor, { id, username }: MemberPath): Promise<void> {
    if (actor.isAdmin || actor.user === null) return;
    const sender = actor.user.id;
    const userId = await userIdOf(storage, username, blockableViewer(actor));
    if (userId === null || (await roleOf(storage, id, userId)) !== null) return;
    if (!standingOf(actor, await roleOf(storage, id, sender)).manages) return;
    await limiter.take({ 'invitation/user': `${sender} ${userId}` });
  }

  /** Withdraws the invitation of a non-member. */
  async function withdraw(
    stores: Stores,
    actor: Actor,
    { id, userId, username }: MemberPath & { readonly userId: string },
  ): Promise<void> {
    if (await stores.groupInvitations.remove(id, userId)) return;
    await refuseBlocked(stores, actor, username);
    throw new AppError('group.member_not_found');
  }

  /** Adds a user, invites them or changes their role, as `setMember`. */
  async function putMember(
    stores: Stores,
    actor: Actor,
    { id, username, role, limits, show }: MemberPut,
  ): Promise<GroupMember | null> {
    const target = await lockNamed(stores, username);
    const standing = standingOf(actor, (await enter(stores, actor, id)).role);
    const held = target === null ? null : await roleOf(stores, id, target.userId);
    checkChange(standing, held, role);
    if (target === null) throw unknownUser(username);
    const { userId, name } = target;
    const joining = { joined: clock.now(), counted: userId === actor.user?.id };
    if (held === null) {
      const admission = { groupId: id, user: target, username, role, counted: joining.counted };
      const joins = await admit(stores, actor, admission, limits);
      show({ group: id, username: name }, actor);
      if (!joins) return null;
    }
    await giveRole(stores, { id, userId, joining, isOwner: held === 'owner' }, role);
    if (held === null) await announceMembership(stores, userId, joining.joined);
    return { userId, name, role };
  }

  return {
    /** Creates a group whose owner and only member is the caller. @throws `group.name_invalid`, `group.limit` */
    async create(actor: Actor, name: string, transact: Transact = apart): Promise<OwnGroup> {
      const { id: ownerId } = requireUser(actor);
      checkName(name);
      const most = (await settings.current())['group.max.per.user'];
      const created = clock.now();
      const group: OwnGroup = { id: secrets.uuid(created), name, created, role: 'owner' };
      return transact(async (stores) => {
        const owner = await stores.groups.lockUser(ownerId);
        if (owner !== null) checkOwn(owner, most);
        await stores.groups.add(group, ownerId);
        await stores.announcer.announce({ topic: 'user', key: ownerId });
        return group;
      });
    },

    /** Returns the caller's groups, oldest first. */
    async list(actor: Actor): Promise<OwnGroup[]> {
      return storage.groups.ofUser(requireUser(actor).id, MAX_GROUPS_OF_USER);
    },

    /** Returns a page of all groups, oldest first, with their member counts. @throws `admin.required` */
    async all(
      actor: Actor,
      { after, skip, limit }: RowPage,
    ): Promise<{ readonly groups: readonly CountedGroup[]; readonly more: boolean }> {
      requireAdmin(actor);
      const found = await storage.groups.list({ after, skip, limit: limit + 1 });
      return { groups: found.slice(0, limit), more: found.length > limit };
    },

    /** Returns a group with a page of its members. */
    async read(
      actor: Actor,
      { id: given, after, skip, limit }: GroupPath & RowPage,
    ): Promise<{ readonly group: OwnGroup; readonly members: readonly GroupMember[]; readonly more: boolean }> {
      requireSignedIn(actor);
      const group = await findGroup(storage, actor, idOf(given));
      const found = await storage.groups.members(group.id, { after, skip, limit: limit + 1 });
      return { group, members: found.slice(0, limit), more: found.length > limit };
    },

    /**
     * Returns a page of a group's invitations, by user, in order of sign-up. For the owner and managers. @throws
     * `access.denied`
     */
    async invited(
      actor: Actor,
      { id: given, after, skip, limit }: GroupPath & RowPage,
    ): Promise<{ readonly invitations: readonly SentInvitation[]; readonly more: boolean }> {
      requireSignedIn(actor);
      const group = await findGroup(storage, actor, idOf(given));
      allow(standingOf(actor, group.role).manages);
      const found = await storage.groupInvitations.sent(group.id, { after, skip, limit: limit + 1 });
      return { invitations: found.slice(0, limit), more: found.length > limit };
    },

    /** Renames a group. For the owner and managers. @throws `group.name_invalid`, `access.denied` */
    async rename(actor: Actor, given: string, name: string): Promise<OwnGroup> {
      requireSignedIn(actor);
      checkName(name);
      const id = idOf(given);
      return storage.transaction(async (stores) => {
        const group = await enter(stores, actor, id);
        allow(standingOf(actor, group.role).manages);
        await stores.groups.rename(id, name);
        return { ...group, name };
      });
    },

    /**
     * Removes a group with every grant to it. The grants have no effect when this resolves. If there are many, some
     * rows may be removed later. For the owner.
     *
     * @throws `access.denied`
     */
    async remove(actor: Actor, given: string): Promise<void> {
      requireSignedIn(actor);
      const id = idOf(given);
      await storage.transaction(async (stores) => {
        const { role } = await enter(stores, actor, id);
        allow(standingOf(actor, role).owns);
        await stores.groups.remove(id);
        await stores.announcer.announce({ topic: 'group', key: id });
      });
      await removals.finish();
    },

    /**
     * Adds a user or invites them, depending on their policy, or changes their role. Resolves to null if the user is
     * invited. A user who blocks the caller counts as unknown. The owner and managers add members. Only the owner makes
     * members managers or managers members, or transfers ownership to a member and becomes a manager.
     *
     * @throws `access.denied`, `user.not_found`, `group.add_refused`, `group.limit`, `group.member_not_found`,
     * `group.owner_required`, `rate.limited`
     */
    async setMember(
      actor: Actor,
      { id: given, username, role }: MemberPath & { readonly role: GroupRole },
    ): Promise<GroupMember | null> {
      requireSignedIn(actor);
      const id = idOf(given);
      const limits = await settings.current();
      await countInvitation(actor, { id, username });
      return precededBy(hooks, 'group.join', (show) =>
        storage.transaction((stores) => putMember(stores, actor, { id, username, role, limits, show })),
      );
    },

    /**
     * Removes a user, or withdraws an invitation. All members but the owner can leave. The owner and managers remove
     * members, and only the owner removes managers.
     *
     * @throws `access.denied`, `user.not_found`, `group.member_not_found`, `group.owner_required`
     */
    async removeMember(actor: Actor, { id: given, username }: MemberPath): Promise<void> {
      requireSignedIn(actor);
      const id = idOf(given);
      await storage.transaction(async (stores) => {
        const standing = standingOf(actor, (await enter(stores, actor, id)).role);
        const userId = await userIdOf(stores, username);
        allow(standing.manages || userId === actor.user?.id);
        if (userId === null) throw unknownUser(username);
        const held = await roleOf(stores, id, userId);
        if (held === null) return withdraw(stores, actor, { id, userId, username });
        allow(held === 'member' || standing.owns || userId === actor.user?.id);
        if (held === 'owner') throw new AppError('group.owner_required');
        await stores.groups.removeMember(id, userId);
        await stores.invitationCodes.removeOf(id, userId);
        const removed = clock.now();
        if (userId !== actor.user?.id) await stores.invitationCodes.recordRemoval({ groupId: id, userId, removed });
        await announceMembership(stores, userId, removed);
      });
    },
  };
}
