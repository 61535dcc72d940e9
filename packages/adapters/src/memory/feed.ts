import {
  authorAudience,
  EVERYBODY,
  type Rights,
  sufficientRights,
  userPrincipal,
  type VisibilityReason,
} from '@baobab/core';
import { accessChangeKey, visibilityMarkKey } from './feed-rows.ts';
import type { Grants } from './grants.ts';
import type { DocumentRow, State } from './state.ts';

/** Positions of the change feed: one per transaction, and one per call outside transactions. */
export interface FeedPositions {
  /** Returns the position of the current transaction or call. */
  current(): number;
  readonly horizon: number;
  /** Ends the transaction or call. Returns true if it used its position. */
  end(): boolean;
}

export function createFeedPositions(): FeedPositions {
  let last = 0;
  let isUsed = false;
  return {
    current() {
      isUsed = true;
      return last + 1;
    },
    get horizon() {
      return last + 1;
    },
    end() {
      const wasUsed = isUsed;
      if (wasUsed) last++;
      isUsed = false;
      return wasUsed;
    },
  };
}

const canRead = (rights: Rights | undefined) => ((rights ?? 0) & sufficientRights('read')) !== 0;

function addAccessChanges(state: State, { id, collection }: DocumentRow, audiences: readonly string[]): void {
  const position = state.feed.current();
  for (const audience of audiences) {
    state.accessChanges.set({ collection, document: id, audience, position, recorded: Date.now() });
  }
}

/** Records the principals that gain or lose read access to a document by new grants. */
export function recordGrants(state: State, row: DocumentRow, grants: Grants): void {
  const principals = new Set([...row.grants.keys(), ...grants.keys()]);
  const changed = Array.from(principals).filter(
    (principal) => canRead(row.grants.get(principal)) !== canRead(grants.get(principal)),
  );
  if (changed.length > 0) addAccessChanges(state, row, changed);
}

/** Records the coming removal of a document. */
export function recordRemoval(state: State, row: DocumentRow): void {
  const readers = Array.from(row.grants).flatMap(([principal, rights]) => (canRead(rights) ? [principal] : []));
  addAccessChanges(state, row, [EVERYBODY, authorAudience(row.authorId), ...readers]);
}

/** Records that the visible documents of users change all together. */
export function markUsers(state: State, userIds: readonly string[], reason: VisibilityReason): void {
  for (const userId of userIds) {
    const mark = { audience: userPrincipal(userId), collection: null, reason };
    state.visibilityMarks.set({ ...mark, position: state.feed.current(), recorded: Date.now() });
  }
}

/** Removes the records of access changes in a collection. */
export function forgetCollection(state: State, collection: string): void {
  for (const row of state.accessChanges.where('collection', collection))
    state.accessChanges.delete(accessChangeKey(row));
}

/** Moves the records of one audience to another, or removes them if `to` is null. */
export function moveAudience(state: State, from: string, to: string | null): void {
  if (to !== null) moveAudience(state, to, null); // records of a former role with this name
  for (const row of state.accessChanges.where('audience', from)) {
    state.accessChanges.delete(accessChangeKey(row));
    if (to !== null) state.accessChanges.set({ ...row, audience: to });
  }
  for (const row of state.visibilityMarks.where('audience', from)) {
    state.visibilityMarks.delete(visibilityMarkKey(row));
    if (to !== null) state.visibilityMarks.set({ ...row, audience: to });
  }
}
