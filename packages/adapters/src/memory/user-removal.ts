import { removedUserName, type UserStore, userPrincipal } from '@baobab/core';
import { removeEmails } from './emails.ts';
import { removeFactors } from './factors.ts';
import { markUsers, moveAudience, recordRemoval } from './feed.ts';
import { accessChangeKey } from './feed-rows.ts';
import type { Grants } from './grants.ts';
import { memberKey } from './group-rows.ts';
import { leaveGroups } from './groups.ts';
import { removePasskeys } from './passkeys.ts';
import { removeServerKeys } from './server-keys.ts';
import { type FollowRow, followKey, idempotencyKey, type State, socialLinkKey } from './state.ts';
import type { Table } from './tables.ts';

const NO_SECTIONS = {
  visibleByTheUser: '{}',
  visibleByFriend: '{}',
  visibleByRegisteredUsers: '{}',
  visibleByAnonymousUsers: '{}',
};

/** The unit of removal. */
interface Belonging {
  /** Number of rows. */
  readonly weight: number;
  remove(): void;
}

function withoutGrantTo(grants: Grants, principal: string): Grants {
  const left = new Map(grants);
  left.delete(principal);
  return left;
}

/**
 * Functions that return the belongings of a user, one per kind. `UserStore.weigh` counts these, and
 * `UserStore.removePart` removes them in this order.
 */
function belongingsOf(state: State): readonly ((id: string) => Belonging[])[] {
  const { follows, followRequests, blocks, documents, files, assets, idempotency, accessChanges } = state;
  const { groupInvitations, invitationCodes } = state;
  const single = (remove: () => void): Belonging => ({ weight: 1, remove });
  const relations = (table: Table<FollowRow>, index: 'follower' | 'followed') => (id: string) =>
    table.where(index, id).map(({ follower, followed }) => single(() => table.delete(followKey(follower, followed))));
  const blocksBy = (index: 'blocker' | 'blocked') => (id: string) =>
    blocks.where(index, id).map(({ blocker, blocked }) => single(() => blocks.delete(followKey(blocker, blocked))));
  const received =
    <Row extends { readonly grants: Grants }>(table: Table<Row>) =>
    (id: string) => {
      const principal = userPrincipal(id);
      const granted = table.values().filter(({ grants }) => grants.has(principal));
      return granted.map((row) => single(() => table.set({ ...row, grants: withoutGrantTo(row.grants, principal) })));
    };
  return [
    (id) =>
      follows.where('followed', id).map(({ follower }) =>
        single(() => {
          markUsers(state, [follower], 'follow');
          follows.delete(followKey(follower, id));
        }),
      ),
    (id) =>
      documents.where('author', id).map((row) => ({
        weight: 1 + row.grants.size,
        remove: () => {
          recordRemoval(state, row);
          documents.delete(row.id);
        },
      })),
    (id) =>
      files
        .where('author', id)
        .map(({ id: file, grants }) => ({ weight: 1 + grants.size, remove: () => void files.delete(file) })),
    received(documents),
    received(files),
    relations(follows, 'follower'),
    relations(followRequests, 'follower'),
    relations(followRequests, 'followed'),
    blocksBy('blocker'),
    blocksBy('blocked'),
    (id) =>
      groupInvitations
        .where('by', id)
        .map(({ groupId, userId }) => single(() => groupInvitations.delete(memberKey(groupId, userId)))),
    (id) => invitationCodes.where('by', id).map((code) => single(() => invitationCodes.delete(code.id))),
    (id) => idempotency.where('user', id).map((row) => single(() => idempotency.delete(idempotencyKey(row)))),
    (id) =>
      accessChanges
        .where('audience', userPrincipal(id))
        .map((row) => single(() => accessChanges.delete(accessChangeKey(row)))),
    // Assets remain.
    (id) => assets.where('author', id).map((asset) => single(() => assets.set({ ...asset, authorId: null }))),
  ];
}

type RemovalMethods = 'weigh' | 'remove' | 'beginRemoval' | 'removePart' | 'removalsBegun';

export function createUserRemoval(state: State): Pick<UserStore, RemovalMethods> {
  const kinds = belongingsOf(state);

  /** Removes all credentials, contact channels and groups of the user. */
  function removeAccess(id: string): void {
    leaveGroups(state, id);
    for (const { groupId } of state.groupInvitations.where('user', id)) {
      state.groupInvitations.delete(memberKey(groupId, id));
    }
    for (const session of state.sessions.where('user', id)) state.sessions.delete(session.id);
    for (const device of state.devices.where('user', id)) state.devices.delete(device.id);
    for (const { network, personId } of state.socialLinks.where('user', id)) {
      state.socialLinks.delete(socialLinkKey(network, personId));
    }
    state.resetTokens.delete(id);
    state.followPolicies.delete(id);
    state.groupPolicies.delete(id);
    removeFactors(state, id);
    removePasskeys(state, id);
    removeEmails(state, id);
    for (const mail of state.mails.where('user', id)) state.mails.delete(mail.id);
    removeServerKeys(state, 'owner', id);
    for (const { digest } of state.challenges.where('user', id)) state.challenges.delete(digest);
  }

  function removeUser(id: string): boolean {
    for (const belongings of kinds) for (const belonging of belongings(id)) belonging.remove();
    moveAudience(state, userPrincipal(id), null);
    removeAccess(id);
    return state.users.delete(id);
  }

  const hasBegun = (id: string) => state.users.get(id)?.name === removedUserName(id).name;

  return {
    async weigh(id, most) {
      const all = kinds.flatMap((belongings) => belongings(id));
      return Math.min(
        most,
        all.reduce((sum, { weight }) => sum + weight, 0),
      );
    },
    async remove(id) {
      return removeUser(id);
    },
    async beginRemoval(id) {
      const user = state.users.get(id);
      if (user === undefined || hasBegun(id)) return false;
      const { guestSeen: _seen, ...rest } = user;
      const hidden = { status: 'SUSPENDED', passwordHash: null, guest: false, sections: NO_SECTIONS } as const;
      state.users.set({ ...rest, ...hidden, ...removedUserName(id) });
      removeAccess(id);
      return true;
    },
    async removePart(id, limit) {
      if (!hasBegun(id)) return false;
      const part = kinds.map((belongings) => belongings(id)).find(({ length }) => length > 0);
      let left = limit;
      for (const { weight, remove } of part ?? []) {
        if (left < limit && weight > left) break;
        remove();
        left -= weight;
      }
      if (part === undefined) removeUser(id);
      return part !== undefined;
    },
    async removalsBegun(limit) {
      const begun = state.users.values().filter(({ id }) => hasBegun(id));
      return begun.slice(0, limit).map(({ id }) => id);
    },
  };
}
