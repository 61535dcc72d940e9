import { type FoundCode, type InvitationCodeStore, type ListedCode, REMOVED_NAME } from '@baobab/core';
import { pageOf } from './group-invitations.ts';
import type { InvitationCodeRow } from './group-rows.ts';
import { followKey, type State } from './state.ts';

export function createInvitationCodeStore(state: State): InvitationCodeStore {
  const { invitationCodes } = state;

  /** Returns null for an invalid code. */
  function listed({ id, role, email, uses, expires, by }: InvitationCodeRow, now: number): ListedCode | null {
    const name = state.users.get(by)?.name ?? REMOVED_NAME;
    return name === REMOVED_NAME || expires <= now ? null : { id, role, email, uses, expires, by: name };
  }

  const openOf = (groupId: string, now: number) =>
    invitationCodes.where('group', groupId).flatMap((row) => listed(row, now) ?? []);

  return {
    async add(code, digest) {
      invitationCodes.set({ ...code, digest });
    },
    async find(digest, now, viewer): Promise<FoundCode | null> {
      const [row] = invitationCodes.where('digest', digest);
      const code = row === undefined ? null : listed(row, now);
      const group = row === undefined ? undefined : state.groups.get(row.groupId);
      if (row === undefined || code === null || group === undefined) return null;
      const isBlocked = viewer !== null && state.blocks.get(followKey(row.by, viewer)) !== undefined;
      return isBlocked ? null : { ...code, group: { ...group } };
    },
    async use(id, now) {
      const row = invitationCodes.get(id);
      if (row === undefined || row.expires <= now) return false;
      if (row.uses === 1) invitationCodes.delete(id);
      else invitationCodes.set({ ...row, uses: row.uses - 1 });
      return true;
    },
    async count(groupId, now) {
      return invitationCodes.where('group', groupId).filter(({ expires }) => expires > now).length;
    },
    async list(groupId, now, page) {
      return pageOf(openOf(groupId, now), ({ id }) => id, page);
    },
    async remove(groupId, id) {
      return invitationCodes.get(id)?.groupId === groupId && invitationCodes.delete(id);
    },
    async removeOf(groupId, userId) {
      for (const { id, by } of invitationCodes.where('group', groupId)) if (by === userId) invitationCodes.delete(id);
    },
    async removeExpired(now, limit) {
      const expired = invitationCodes.values().filter(({ expires }) => expires <= now);
      return expired.slice(0, limit).filter(({ id }) => invitationCodes.delete(id)).length;
    },
  };
}
