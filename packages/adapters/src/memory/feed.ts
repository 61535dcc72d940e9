import {
  authorAudience,
  EVERYBODY,
  type Rights,
  sufficientRights,
  userPrincipal,
  type VisibilityReason,
} from '@baobab/core';
import type { Grants } from './grants.ts';
import type { DocumentRow, State } from './state.ts';

/** Positions of the change feed: one per transaction, and one per call outside transactions. */
export function createFeedPositions() {
  let last = 0;
  let isUsed = false;
  return {
    /** Returns the position of the current transaction or call. */
    current(): number {
      isUsed = true;
      return last + 1;
    },
    get horizon(): number {
      return last + 1;
    },
    /** Ends the transaction or call. Returns true if it used its position. */
    end(): boolean {
      const wasUsed = isUsed;
      if (wasUsed) last++;
      isUsed = false;
      return wasUsed;
    },
  };
}

const canRead = (rights: Rights | undefined) => ((rights ?? 0) & sufficientRights('read')) !== 0;

/** Returns the audiences that may read a document. */
export function audiencesOf({ authorId, grants }: DocumentRow): string[] {
  const readers = [...grants.keys()].filter((principal) => canRead(grants.get(principal)));
  return [EVERYBODY, authorAudience(authorId), ...readers];
}

/** Records that these audiences gain or lose read access to a document. */
export function addAccessChanges(state: State, { id, collection }: DocumentRow, audiences: readonly string[]): void {
  for (const audience of audiences) {
    const position = state.feed.current();
    state.accessChanges.set({ collection, document: id, audience, position, recorded: Date.now() });
  }
}

/** Records the principals that gain or lose read access to a document by new grants. */
export function recordGrants(state: State, row: DocumentRow, grants: Grants): void {
  const principals = new Set([...row.grants.keys(), ...grants.keys()]);
  const isChanged = (principal: string) => canRead(row.grants.get(principal)) !== canRead(grants.get(principal));
  addAccessChanges(state, row, [...principals].filter(isChanged));
}

/** Records the coming removal of a document. */
export function recordRemoval(state: State, row: DocumentRow): void {
  addAccessChanges(state, row, audiencesOf(row));
}

/** Returns true if the feed remembers the removal of a document. */
export function wasRemoved(state: State, document: string): boolean {
  return state.collections.all().some(({ key }) => state.accessChanges.has(key, document, EVERYBODY));
}

/** Records that the visible documents of users change all together. */
export function markUsers(state: State, userIds: readonly string[], reason: VisibilityReason): void {
  for (const userId of userIds) {
    const mark = { audience: userPrincipal(userId), collection: null, reason };
    state.visibilityMarks.set({ ...mark, position: state.feed.current(), recorded: Date.now() });
  }
}

/** Moves the records of one audience to another, or removes them if `to` is null. */
export function moveAudience(state: State, from: string, to: string | null): void {
  if (to !== null) moveAudience(state, to, null); // records of a former role with this name
  const changes = state.accessChanges.remove({ audience: from });
  const marks = state.visibilityMarks.remove({ audience: from });
  if (to === null) return;
  for (const row of changes) state.accessChanges.set({ ...row, audience: to });
  for (const row of marks) state.visibilityMarks.set({ ...row, audience: to });
}
