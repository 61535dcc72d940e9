import { type AccessScope, type Action, allows, MAX_ANCESTORS, RIGHTS, type Rights } from '../access.ts';
import { collectionKey } from '../collections/collections.ts';
import { matches } from '../criteria/evaluate.ts';
import { documentResolver } from '../criteria/names.ts';
import type { Path } from '../criteria/syntax.ts';
import { type Value, valueAt } from '../criteria/values.ts';
import type { DocumentAddress, DocumentRecord, FoundDocument } from '../ports/storage/documents.ts';
import { isUuid } from '../wire.ts';

type Find = (address: DocumentAddress, scope: AccessScope) => Promise<FoundDocument | null>;

/** Rights that may be inherited. */
const INHERITED = ['read', 'update', 'delete'] as const satisfies readonly Action[];

/** Returns the id in the value of a parent field; null if there is none. Ids are written in lower case. */
export const parentId = (value: Value): string | null =>
  typeof value === 'string' && isUuid(value) && value === value.toLowerCase() ? value : null;

/** Returns the id of the parent of a document, at this path. */
export const parentOf = (document: DocumentRecord, path: Path): string | null =>
  parentId(valueAt(path, documentResolver(document)));

/** @param below keys of the collections of the documents that inherit through this one */
async function rightsBy(
  document: DocumentRecord,
  scope: AccessScope,
  find: Find,
  below: readonly string[] = [],
): Promise<Rights> {
  const key = collectionKey(document.collection);
  const access = scope.rules?.get(key);
  if (access === undefined) return 0;
  let { rights } = access;
  const resolve = documentResolver(document);
  for (const one of access.conditions) if (matches(one.where, resolve)) rights |= one.rights;
  const { parent } = access;
  const id = parent === null ? null : parentOf(document, parent.path);
  if (parent === null || id === null || below.length === MAX_ANCESTORS) return rights;
  const { rules: _rules, ...plain } = scope;
  const found = await find({ collection: parent.collection, id }, { ...plain, ruled: 0 });
  const path = [...below, key];
  if (found === null || path.includes(collectionKey(found.collection))) return rights;
  const held = found.rights | (await rightsBy(found, scope, find, path));
  for (const action of INHERITED) {
    const need = parent.needs[action];
    if (need !== null && allows(held, need)) rights |= RIGHTS[action];
  }
  return rights;
}

/**
 * Adds the rights under `scope.rules` to a document found under the rest of the scope.
 *
 * @param find reads a document, apart from `rules`
 */
export async function withRules(
  found: FoundDocument | null,
  scope: AccessScope,
  find: Find,
): Promise<FoundDocument | null> {
  if (found === null) return null;
  return { ...found, rights: found.rights | scope.ruled | (await rightsBy(found, scope, find)) };
}
