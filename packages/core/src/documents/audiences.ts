import {
  type Action,
  allows,
  authorAudience,
  EVERYTHING,
  MAX_ANCESTORS,
  type Principal,
  userPrincipal,
} from '../access.ts';
import { collectionKey } from '../collections/collections.ts';
import type { CollectionPolicy, Policies } from '../collections/policies.ts';
import { matches } from '../criteria/evaluate.ts';
import { documentResolver } from '../criteria/names.ts';
import { namesCaller, pathsIn } from '../criteria/rules.ts';
import { valueAt } from '../criteria/values.ts';
import type { DocumentRecord } from '../ports/storage/documents.ts';
import type { Stores } from '../ports/storage/storage.ts';
import { parentOf } from './ruled-rights.ts';

/** Audiences of the change feed that have a right on a document under rules. */
export interface Audiences {
  /** Audiences that all have the right. */
  readonly exact: ReadonlySet<string>;
  /**
   * Roles of which some users have the right, because the rule names the caller, with the values that decide. If these
   * change, all users of the role list again: the feed must not tell any of them of documents they could not read.
   */
  readonly byCaller: ReadonlyMap<Principal, string>;
}

export const NO_AUDIENCES: Audiences = { exact: new Set(), byCaller: new Map() };

export interface AudienceDeps {
  readonly stores: Pick<Stores, 'documents'>;
  readonly policies: Policies;
  /** True if followers may read the documents of a user. */
  readonly followersRead: boolean;
}

interface Found {
  readonly exact: Set<string>;
  readonly byCaller: Map<Principal, string>;
}

/** Adds the owner of an ancestor, and the principals of its grants. */
async function addHolders(
  { stores, followersRead }: AudienceDeps,
  { id }: DocumentRecord,
  action: Action,
  { exact }: Found,
): Promise<void> {
  const { authorId, principals } = await stores.documents.holders(id, action);
  for (const principal of principals) exact.add(principal);
  if (authorId === null) return;
  exact.add(userPrincipal(authorId));
  if (followersRead && action === 'read') exact.add(authorAudience(authorId));
}

/** Adds the audiences from which a document inherits. */
async function addInherited(
  deps: AudienceDeps,
  document: DocumentRecord,
  { parent, need, path }: { parent: InheritedFrom; need: Action; path: readonly string[] },
  { exact, byCaller }: Found,
): Promise<void> {
  const id = parentOf(document, parent.path);
  if (id === null || path.length > MAX_ANCESTORS) return;
  const found = await deps.stores.documents.find({ collection: parent.collection, id }, EVERYTHING);
  if (found === null || path.includes(collectionKey(found.collection))) return;
  const above = await audiencesOf(deps, found, need, path);
  for (const audience of above.exact) exact.add(audience);
  for (const [principal, values] of above.byCaller) {
    byCaller.set(principal, `${byCaller.get(principal) ?? ''}${values}`);
  }
}

type InheritedFrom = NonNullable<CollectionPolicy['parent']>;

/**
 * Returns the audiences that have a right on a document under rules, apart from what its own owner and grants, and
 * rules for every document of its collection, allow.
 *
 * @param below keys of the collections of the documents that inherit through this one
 */
export async function audiencesOf(
  deps: AudienceDeps,
  document: DocumentRecord,
  action: Action = 'read',
  below: readonly string[] = [],
): Promise<Audiences> {
  const key = collectionKey(document.collection);
  const found: Found = { exact: new Set(), byCaller: new Map() };
  const isLeaf = below.length === 0;
  if (!isLeaf) await addHolders(deps, document, action, found);
  const policy = deps.policies.get(key);
  if (policy === undefined) return found;
  addRoles(policy, document, { ...found, action, isLeaf });
  const { parent } = policy;
  const need = action === 'all' ? null : (parent?.needs[action] ?? null);
  if (parent !== null && need !== null) {
    await addInherited(deps, document, { parent, need, path: [...below, key] }, found);
  }
  return found;
}

/** Adds the roles whose rules allow an action on a document. */
function addRoles(
  { rules }: CollectionPolicy,
  document: DocumentRecord,
  { exact, byCaller, action, isLeaf }: Found & { readonly action: Action; readonly isLeaf: boolean },
): void {
  const resolve = documentResolver(document);
  for (const { principal, condition, rights } of rules) {
    if (!allows(rights, action)) continue;
    if (condition === null) {
      if (!isLeaf) exact.add(principal);
    } else if (namesCaller(condition)) {
      const values = JSON.stringify(pathsIn(condition).map((path) => valueAt(path, resolve) ?? null));
      byCaller.set(principal, `${byCaller.get(principal) ?? ''}${values}`);
    } else if (matches(condition, resolve)) {
      exact.add(principal);
    }
  }
}

/** Returns the audiences that are in one of two sets only. */
export function differenceOf(
  before: Audiences,
  after: Audiences,
): { lost: string[]; gained: string[]; roles: Principal[] } {
  const only = (of: Audiences, others: Audiences) => Array.from(of.exact).filter((one) => !others.exact.has(one));
  const roles = new Set([...before.byCaller.keys(), ...after.byCaller.keys()]);
  return {
    lost: only(before, after),
    gained: only(after, before),
    roles: Array.from(roles).filter((role) => before.byCaller.get(role) !== after.byCaller.get(role)),
  };
}
