import {
  type FoundCode,
  type GroupInvitation,
  type GroupInvitationStore,
  type GroupStore,
  groupPrincipal,
  type InvitationCodeStore,
  KEPT_CODE_MS,
  type ListedCode,
  MAX_CODE_LIFETIME_MS,
  REMOVED_NAME,
} from '@baobab/core';
import { markUsers } from './feed.ts';
import { createPolicies } from './follows.ts';
import { moveGrants } from './grants.ts';
import { rowPageOf } from './lists.ts';
import type { GroupMemberRow, State } from './state.ts';
import type { Immediate } from './tables.ts';

export const groupIdsOf = (state: State, userId: string): string[] =>
  state.groupMembers.where({ userId }).map(({ groupId }) => groupId);

const nameOf = (state: State, userId: string) => state.users.get(userId)?.name ?? REMOVED_NAME;

function removeGroup(state: State, groupId: string): boolean {
  moveGrants(state, groupPrincipal(groupId), null);
  const members = state.groupMembers.remove({ groupId }).map(({ userId }) => userId);
  markUsers(state, members, 'group');
  state.invitationCodes.remove({ groupId });
  state.groupInvitations.remove({ groupId });
  state.removedMembers.remove({ groupId });
  return state.groups.delete(groupId);
}

const byService = (a: GroupMemberRow, b: GroupMemberRow) =>
  Number(b.role === 'manager') - Number(a.role === 'manager') || a.joined - b.joined;

/** Removes a user from all groups, and transfers the ownership of those that the user owns. */
export function leaveGroups(state: State, userId: string): void {
  for (const { groupId, role } of state.groupMembers.remove({ userId })) {
    if (role !== 'owner') continue;
    const [successor] = state.groupMembers.where({ groupId }).sort(byService);
    if (successor === undefined) removeGroup(state, groupId);
    else state.groupMembers.set({ ...successor, role: 'owner' });
  }
}

export function createGroupStore(state: State): Immediate<GroupStore> {
  const { groups, groupMembers } = state;

  return {
    add({ id, name, created }, userId) {
      groupMembers.set({ groupId: id, userId, role: 'owner', joined: created, counted: true });
      groups.set({ id, name, created });
    },
    find(id, userId) {
      const group = groups.get(id);
      const role = userId === null ? null : (groupMembers.get(id, userId)?.role ?? null);
      return group && { ...group, role };
    },
    ofUser(userId, limit) {
      const own = groupMembers.where({ userId }).flatMap(({ groupId, role }) => {
        const group = groups.get(groupId);
        return group === null ? [] : [{ ...group, role }];
      });
      return own.slice(0, limit);
    },
    list: (page) =>
      rowPageOf(groups.all(), 'id', page).map((group) => {
        return { ...group, members: groupMembers.where({ groupId: group.id }).length };
      }),
    members: (groupId, page) =>
      rowPageOf(groupMembers.where({ groupId }), 'userId', page).map(({ userId, role }) => {
        return { userId, name: state.users.get(userId)?.name ?? '', role };
      }),
    size: (groupId) => groupMembers.where({ groupId }).length,
    lockUser(userId) {
      const name = nameOf(state, userId);
      if (name === REMOVED_NAME) return null;
      const memberships = groupMembers.where({ userId });
      const counted = memberships.filter((row) => row.counted).length;
      return { name, counted, given: memberships.length - counted };
    },
    // No lock is needed: transactions run sequentially.
    lock: groups.has,
    rename: (id, name) => groups.update(id, { name }) !== null,
    remove: (id) => removeGroup(state, id),
    setRole: (groupId, userId, role, joining) =>
      groupMembers.set({ ...joining, ...groupMembers.get(groupId, userId), groupId, userId, role }),
    handOver(groupId, userId, joining) {
      groupMembers.updateAll({ groupId, role: 'owner' }, { role: 'manager' });
      groupMembers.set({ ...joining, ...groupMembers.get(groupId, userId), groupId, userId, role: 'owner' });
    },
    removeMember: groupMembers.delete,
  };
}

export function createGroupInvitationStore(state: State): Immediate<GroupInvitationStore> {
  const { groups, groupInvitations, blocks } = state;
  const isOfUser = ({ by }: GroupInvitation) => nameOf(state, by) !== REMOVED_NAME;
  const isOpen = (row: GroupInvitation) => isOfUser(row) && !blocks.has(row.userId, row.by);

  return {
    ...createPolicies(state, state.groupPolicies),
    set: groupInvitations.set,
    remove: groupInvitations.delete,
    open(groupId, userId) {
      const invitation = groupInvitations.get(groupId, userId);
      return invitation !== null && isOpen(invitation) ? invitation.role : null;
    },
    count: (groupId) => groupInvitations.where({ groupId }).length,
    received(userId, page) {
      const open = groupInvitations.where({ userId }).filter(isOpen);
      return rowPageOf(open, 'groupId', page).flatMap(({ groupId, role, by }) => {
        const group = groups.get(groupId);
        return group === null ? [] : [{ group, role, by: nameOf(state, by) }];
      });
    },
    sent(groupId, page) {
      const sent = groupInvitations.where({ groupId }).filter(isOfUser);
      return rowPageOf(sent, 'userId', page).map(({ userId, role, by }) => {
        return { userId, name: nameOf(state, userId), role, by: nameOf(state, by) };
      });
    },
  };
}

export function createInvitationCodeStore(state: State): Immediate<InvitationCodeStore> {
  const { groups, groupMembers, invitationCodes, removedMembers, blocks } = state;

  /** Returns the valid ones of these codes. */
  const valid = (rows: ReturnType<typeof invitationCodes.all>, now: number): ListedCode[] =>
    rows.flatMap(({ id, role, email, uses, expires, by }) => {
      const name = nameOf(state, by);
      return name === REMOVED_NAME || expires <= now ? [] : [{ id, role, email, uses, expires, by: name }];
    });

  const usable = (groupId: string) => invitationCodes.where({ groupId }).filter(({ uses }) => uses > 0);

  return {
    add: (code, digest) => invitationCodes.set({ ...code, digest }),
    find(digest, now, viewer): FoundCode | null {
      const row = invitationCodes.first({ digest });
      const [code] = row === null ? [] : valid([row], now);
      const group = row && groups.get(row.groupId);
      if (row === null || code === undefined || group === null) return null;
      const isBlocked = viewer !== null && blocks.has(row.by, viewer);
      return isBlocked || state.users.get(row.by)?.status !== 'ACTIVE' ? null : { ...code, group };
    },
    use(id, now) {
      const row = invitationCodes.get(id);
      if (row === null || row.uses === 0 || row.expires <= now) return false;
      const expires = row.uses === 1 ? Math.min(row.expires, now + KEPT_CODE_MS) : row.expires;
      invitationCodes.set({ ...row, uses: row.uses - 1, expires });
      return true;
    },
    count: (groupId, now) => usable(groupId).filter(({ expires }) => expires > now).length,
    list: (groupId, now, page) => rowPageOf(valid(usable(groupId), now), 'id', page),
    remove: (groupId, id) => usable(groupId).some((code) => code.id === id) && invitationCodes.delete(id),
    removeOf: (groupId, by) => void invitationCodes.remove({ groupId, by }),
    removeOfOwner(groupId) {
      for (const { userId } of groupMembers.where({ groupId, role: 'owner' })) {
        invitationCodes.remove({ groupId, by: userId });
      }
    },
    removeAllOf: (by) => void invitationCodes.remove({ by }),
    recordRemoval: (removal) => removedMembers.set({ ...removal, expires: removal.removed + MAX_CODE_LIFETIME_MS }),
    lastRemoval: (groupId, userId) => removedMembers.get(groupId, userId)?.removed ?? null,
  };
}
