import { type GroupInvitation, type GroupInvitationStore, REMOVED_NAME, type RowPage } from '@baobab/core';
import { memberKey } from './group-rows.ts';
import { followKey, type State } from './state.ts';

/** Returns a page of rows, in the order of their ids. */
export function pageOf<Row>(rows: readonly Row[], idOf: (row: Row) => string, { after, skip, limit }: RowPage): Row[] {
  const left = rows.filter((row) => after === null || idOf(row) > after);
  return left.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1)).slice(skip, skip + limit);
}

export function createGroupInvitationStore(state: State): GroupInvitationStore {
  const nameOf = (userId: string) => state.users.get(userId)?.name ?? REMOVED_NAME;

  const isOpen = ({ userId, by }: GroupInvitation) =>
    nameOf(by) !== REMOVED_NAME && state.blocks.get(followKey(userId, by)) === undefined;

  return {
    async set(invitation) {
      state.groupInvitations.set({ ...invitation });
    },
    async remove(groupId, userId) {
      return state.groupInvitations.delete(memberKey(groupId, userId));
    },
    async open(groupId, userId) {
      const invitation = state.groupInvitations.get(memberKey(groupId, userId));
      return invitation !== undefined && isOpen(invitation) ? invitation.role : null;
    },
    async count(groupId) {
      return state.groupInvitations.where('group', groupId).length;
    },
    async received(userId, page) {
      const open = state.groupInvitations.where('user', userId).filter(isOpen);
      return pageOf(open, ({ groupId }) => groupId, page).flatMap(({ groupId, role, by }) => {
        const group = state.groups.get(groupId);
        return group === undefined ? [] : [{ group: { ...group }, role, by: nameOf(by) }];
      });
    },
    async sent(groupId, page) {
      const all = state.groupInvitations.where('group', groupId).filter(({ by }) => nameOf(by) !== REMOVED_NAME);
      return pageOf(all, ({ userId }) => userId, page).map(({ userId, role, by }) => {
        return { userId, name: nameOf(userId), role, by: nameOf(by) };
      });
    },
    async policy(userId) {
      return state.groupPolicies.get(userId)?.policy ?? null;
    },
    async setPolicy(userId, policy) {
      if (policy === null) state.groupPolicies.delete(userId);
      else if (state.users.get(userId) !== undefined) state.groupPolicies.set({ userId, policy });
    },
  };
}
