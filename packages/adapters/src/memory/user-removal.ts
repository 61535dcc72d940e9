import { groupPrincipal, KEPT_KEYS, REMOVED_NAME, type UserStore, userPrincipal } from '@baobab/core';
import { removeDocument } from './access.ts';
import { markUsers, moveAudience, recordRemoval } from './feed.ts';
import { moveGrants } from './grants.ts';
import { leaveGroups } from './groups.ts';
import type { DocumentRow, FileRow, State } from './state.ts';
import type { Immediate } from './tables.ts';

const NO_SECTIONS = {
  visibleByTheUser: '{}',
  visibleByFriend: '{}',
  visibleByRegisteredUsers: '{}',
  visibleByAnonymousUsers: '{}',
};

const isShared = ({ grants }: DocumentRow | FileRow) =>
  [...grants.keys()].some((principal) => principal.startsWith(groupPrincipal('')));

/** Creates the method that removes users, with everything at once. */
export function createUserRemoval(state: State): Immediate<Pick<UserStore, 'remove'>> {
  const { users, documents, files, assets, follows } = state;

  /** Removes the documents and files of the user. Returns true if some are kept. */
  function removeContents(authorId: string, keepsShared: boolean): boolean {
    const isKept = (row: DocumentRow | FileRow) => keepsShared && isShared(row);
    const [ownDocuments, ownFiles] = [documents.where({ authorId }), files.where({ authorId })];
    for (const row of ownDocuments.filter((one) => !isKept(one))) {
      recordRemoval(state, row);
      removeDocument(state, row);
    }
    for (const { id } of ownFiles.filter((one) => !isKept(one))) files.delete(id);
    return [...ownDocuments, ...ownFiles].some(isKept);
  }

  return {
    remove(id, keepsShared = false) {
      const user = users.get(id);
      if (user === null || user.name === REMOVED_NAME) return false;
      leaveGroups(state, id);
      for (const removeRows of state.removals) removeRows(id);
      markUsers(
        state,
        follows.remove({ followed: id }).map(({ follower }) => follower),
        'follow',
      );
      const keepsSome = removeContents(id, keepsShared);
      moveGrants(state, userPrincipal(id), null);
      assets.updateAll({ authorId: id }, { authorId: null });
      moveAudience(state, userPrincipal(id), null);
      const key = `${KEPT_KEYS}${id}`;
      const hidden = { name: REMOVED_NAME, key, skeleton: key, created: 0, sections: NO_SECTIONS } as const;
      if (keepsSome)
        users.update(id, { ...hidden, status: 'SUSPENDED', passwordHash: null, guest: false, eraseAt: null });
      else users.delete(id);
      return true;
    },
  };
}
