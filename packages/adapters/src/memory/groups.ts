import {
  AppError,
  type ErrorCode,
  type Grant,
  type GroupStore,
  groupPrincipal,
  parsePrincipal,
  REMOVED_NAME,
} from '@baobab/core';
import { markUsers } from './feed.ts';
import { changeGrants } from './grants.ts';
import { type GroupMemberRow, memberKey } from './group-rows.ts';
import type { State } from './state.ts';

export const groupIdsOf = (state: State, userId: string): string[] =>
  state.groupMembers.where('user', userId).map(({ groupId }) => groupId);

/** @throws `code` if a group in the grants does not exist */
export function requireGroups(state: State, grants: readonly Pick<Grant, 'principal'>[], code: ErrorCode): void {
  for (const { principal } of grants) {
    const { kind, key } = parsePrincipal(principal);
    if (kind === 'group' && state.groups.get(key) === undefined) throw new AppError(code);
  }
}

function removeGroup(state: State, id: string): boolean {
  changeGrants(state, groupPrincipal(id), () => undefined);
  const members = state.groupMembers.where('group', id).map(({ userId }) => userId);
  markUsers(state, members, 'group');
  for (const userId of members) state.groupMembers.delete(memberKey(id, userId));
  for (const code of state.invitationCodes.where('group', id)) state.invitationCodes.delete(code.id);
  for (const { userId } of state.groupInvitations.where('group', id)) {
    state.groupInvitations.delete(memberKey(id, userId));
  }
  return state.groups.delete(id);
}

const byService = (a: GroupMemberRow, b: GroupMemberRow) =>
  Number(b.role === 'manager') - Number(a.role === 'manager') || a.joined - b.joined || (a.userId < b.userId ? -1 : 1);

/** Removes a user from all groups, and transfers the ownership of those that the user owns. */
export function leaveGroups(state: State, userId: string): void {
  for (const { groupId, role } of state.groupMembers.where('user', userId)) {
    state.groupMembers.delete(memberKey(groupId, userId));
    if (role !== 'owner') continue;
    const [successor] = state.groupMembers.where('group', groupId).sort(byService);
    if (successor === undefined) removeGroup(state, groupId);
    else state.groupMembers.set({ ...successor, role: 'owner' });
  }
}

const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);

export function createGroupStore(state: State): GroupStore {
  const memberOf = (id: string, userId: string) => state.groupMembers.get(memberKey(id, userId));

  return {
    async add({ id, name, created }, ownerId) {
      if (state.users.get(ownerId) === undefined) throw new AppError('user.not_found');
      state.groups.set({ id, name, created });
      state.groupMembers.set({ groupId: id, userId: ownerId, role: 'owner', joined: created, counted: true });
    },
    async find(id, userId) {
      const group = state.groups.get(id);
      if (group === undefined) return null;
      return { ...group, role: userId === null ? null : (memberOf(id, userId)?.role ?? null) };
    },
    async ofUser(userId, limit) {
      const own = state.groupMembers.where('user', userId).flatMap(({ groupId, role }) => {
        const group = state.groups.get(groupId);
        return group === undefined ? [] : [{ ...group, role }];
      });
      return own.sort(byId).slice(0, limit);
    },
    async list({ after, skip, limit }) {
      const groups = state.groups.values().filter(({ id }) => after === null || id > after);
      const page = groups.sort(byId).slice(skip, skip + limit);
      return page.map((group) => ({ ...group, members: state.groupMembers.where('group', group.id).length }));
    },
    async members(id, { after, skip, limit }) {
      const rows = state.groupMembers.where('group', id).filter(({ userId }) => after === null || userId > after);
      const page = rows.sort((a, b) => (a.userId < b.userId ? -1 : 1)).slice(skip, skip + limit);
      return page.map(({ userId, role }) => ({ userId, name: state.users.get(userId)?.name ?? '', role }));
    },
    async size(id) {
      return state.groupMembers.where('group', id).length;
    },
    async lockUser(userId) {
      const user = state.users.get(userId);
      if (user === undefined || user.name === REMOVED_NAME) return null;
      const groups = state.groupMembers.where('user', userId);
      const counted = groups.filter((row) => row.counted).length;
      return { name: user.name, counted, given: groups.length - counted };
    },
    async lock(id) {
      return state.groups.get(id) !== undefined; // transactions run sequentially
    },
    async rename(id, name) {
      const group = state.groups.get(id);
      if (group === undefined) return false;
      state.groups.set({ ...group, name });
      return true;
    },
    // Also removes all grants to the group.
    async remove(id) {
      return removeGroup(state, id);
    },
    async removePart() {
      return false;
    },
    async removalsBegun() {
      return [];
    },
    async setRole(id, userId, role, joining) {
      state.groupMembers.set({ ...joining, groupId: id, userId, ...memberOf(id, userId), role });
    },
    async handOver(id, userId, joining) {
      for (const row of state.groupMembers.where('group', id)) {
        if (row.role === 'owner') state.groupMembers.set({ ...row, role: 'manager' });
      }
      state.groupMembers.set({ ...joining, groupId: id, userId, ...memberOf(id, userId), role: 'owner' });
    },
    async removeMember(id, userId) {
      return state.groupMembers.delete(memberKey(id, userId));
    },
  };
}
