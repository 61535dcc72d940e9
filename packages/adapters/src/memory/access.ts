import {
  type AccessScope,
  allows,
  type DocumentRecord,
  documentResolver,
  EVERY_RIGHT,
  type InheritedAccess,
  isUuid,
  MAX_ANCESTORS,
  matches,
  REMOVED_NAME,
  RIGHTS,
  type Rights,
} from '@baobab/core';
import { rightsBy } from './grants.ts';
import type { DocumentRow, State } from './state.ts';

export function toRecord(state: State, row: DocumentRow): DocumentRecord {
  const updatedBy = state.users.get(row.updatedBy)?.name ?? null;
  return {
    id: row.id,
    collection: state.collections.get(row.collection)?.name ?? row.collection,
    author: state.users.get(row.authorId)?.name ?? '',
    updatedBy: updatedBy === REMOVED_NAME ? null : updatedBy,
    version: row.version,
    created: row.created,
    updated: row.updated,
    content: row.content,
  };
}

/** Removes a document. Returns true if it has left files behind. */
export function removeDocument({ documents, files, leftFiles }: State, { id }: DocumentRow): boolean {
  const hasFiles = files.first({ document: id }) !== null;
  if (hasFiles) leftFiles.set({ document: id });
  documents.delete(id);
  return hasFiles;
}

/** Returns the parent of a document, unless it is in one of these collections. */
function parentOf(state: State, row: DocumentRow, { path, collection }: InheritedAccess, below: readonly string[]) {
  const [first, ...steps] = path;
  let value: unknown = documentResolver(toRecord(state, row))(first);
  for (const step of steps) value = (value as Record<string, unknown> | null | undefined)?.[step];
  const parent = typeof value === 'string' && isUuid(value) ? state.documents.get(value) : null;
  const isThere = parent !== null && !below.includes(parent.collection);
  return isThere && (collection === null || parent.collection === collection) ? parent : null;
}

/**
 * Returns the rights under rules that depend on the document.
 *
 * @param rightsOn returns the rights on a parent, apart from rules
 */
function ruledOn(
  state: State,
  row: DocumentRow,
  scope: AccessScope,
  rightsOn: (row: DocumentRow) => Rights,
  below: readonly string[] = [],
): Rights {
  const access = scope.rules?.get(row.collection);
  if (access === undefined) return 0;
  let { rights } = access;
  const resolve = documentResolver(toRecord(state, row));
  for (const one of access.conditions) if (matches(one.where, resolve)) rights |= one.rights;
  if (access.parent === null || below.length === MAX_ANCESTORS) return rights;
  const path = [...below, row.collection];
  const parent = parentOf(state, row, access.parent, path);
  if (parent === null) return rights;
  const held = rightsOn(parent) | ruledOn(state, parent, scope, rightsOn, path);
  for (const action of ['read', 'update', 'delete'] as const) {
    const need = access.parent.needs[action];
    if (need !== null && allows(held, need)) rights |= RIGHTS[action];
  }
  return rights;
}

/** Returns the rights on a document within an access scope. */
export function rightsOn(state: State, row: DocumentRow, scope: AccessScope): Rights {
  if (scope.everything) return EVERY_RIGHT;
  const apartFromRules = (of: DocumentRow) => {
    const isFollowed = scope.followed && scope.owner !== null && state.follows.has(scope.owner, of.authorId);
    return rightsBy(of, scope) | (isFollowed ? RIGHTS.read : 0);
  };
  return apartFromRules(row) | scope.ruled | ruledOn(state, row, scope, apartFromRules);
}
