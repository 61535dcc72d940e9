import { type AccessScope, type DocumentRecord, RIGHTS, type Rights } from '@baobab/core';
import { rightsBy } from './grants.ts';
import { type DocumentRow, followKey, type State } from './state.ts';

export function toRecord(state: State, row: DocumentRow): DocumentRecord {
  return {
    id: row.id,
    collection: state.collections.get(row.collection)?.name ?? row.collection,
    author: state.users.get(row.authorId)?.name ?? '',
    version: row.version,
    created: row.created,
    updated: row.updated,
    content: row.content,
  };
}

export const isFollowing = (state: State, follower: string, followed: string): boolean =>
  state.follows.get(followKey(follower, followed)) !== undefined;

/** Returns the rights on a document within an access scope. */
export function rightsOn(state: State, row: DocumentRow, scope: AccessScope): Rights {
  const followed = scope.followed && scope.owner !== null && isFollowing(state, scope.owner, row.authorId);
  return rightsBy(row, scope) | (followed ? RIGHTS.read : 0) | scope.ruled;
}
