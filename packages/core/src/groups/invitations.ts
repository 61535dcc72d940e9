import { type Actor, requireUser } from '../actor.ts';
import { AppError } from '../errors.ts';
import { type Hooks, precededBy, type ShowToHooks } from '../hooks/hooks.ts';
import type { Clock } from '../ports/clock.ts';
import type { GroupPolicy, ReceivedInvitation } from '../ports/storage/group-invitations.ts';
import type { OwnGroup, RowPage } from '../ports/storage/groups.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { announceMembership, checkRoom, idOf } from './membership.ts';

export interface GroupInvitationsDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  readonly hooks: Hooks;
}

export type GroupInvitations = ReturnType<typeof createGroupInvitations>;

/** A user's received invitations and their policy for being added. Every method: @throws `auth.required` */
export function createGroupInvitations({ storage, clock, settings, hooks }: GroupInvitationsDeps) {
  return {
    /** Returns a page of the caller's invitations, in order of creation of the groups. */
    async received(
      actor: Actor,
      { after, skip, limit }: RowPage,
    ): Promise<{ readonly invitations: readonly ReceivedInvitation[]; readonly more: boolean }> {
      const { id } = requireUser(actor);
      const found = await storage.groupInvitations.received(id, { after, skip, limit: limit + 1 });
      return { invitations: found.slice(0, limit), more: found.length > limit };
    },

    /** Makes the caller a member. @throws `group.invitation_not_found`, `group.limit` */
    async accept(actor: Actor, given: string): Promise<OwnGroup> {
      const { id: userId, name: username } = requireUser(actor);
      const id = idOf(given, 'group.invitation_not_found');
      const limits = await settings.current();
      const joined = clock.now();
      const join = (show: ShowToHooks<'group.join'>) => async (stores: Stores) => {
        const counts = await stores.groups.lockUser(userId);
        await stores.groups.lock(id);
        const role = await stores.groupInvitations.open(id, userId);
        const group = await stores.groups.find(id, userId);
        if (counts === null || role === null || group === null) throw new AppError('group.invitation_not_found');
        await stores.groupInvitations.remove(id, userId);
        await checkRoom(stores, { id, counts, counted: true }, limits);
        show({ group: id, username }, actor);
        await stores.groups.setRole(id, userId, role, { joined, counted: true });
        await announceMembership(stores, userId, joined);
        return { ...group, role };
      };
      return precededBy(hooks, 'group.join', (show) => storage.transaction(join(show)));
    },

    /** @throws `group.invitation_not_found` */
    async decline(actor: Actor, given: string): Promise<void> {
      const { id: userId } = requireUser(actor);
      const id = idOf(given, 'group.invitation_not_found');
      if (!(await storage.groupInvitations.remove(id, userId))) throw new AppError('group.invitation_not_found');
    },

    /** Returns the caller's policy for being added to groups; null for the setting `group.add.default`. */
    async policy(actor: Actor): Promise<GroupPolicy | null> {
      return storage.groupInvitations.policy(requireUser(actor).id);
    },

    /** Sets the caller's policy. Memberships and invitations stay unchanged. */
    async setPolicy(actor: Actor, policy: GroupPolicy | null): Promise<void> {
      await storage.groupInvitations.setPolicy(requireUser(actor).id, policy);
    },
  };
}
