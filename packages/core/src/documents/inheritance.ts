import {
  type Action,
  allows,
  authorAudience,
  EVERYBODY,
  EVERYTHING,
  MAX_ANCESTORS,
  type Principal,
} from '../access.ts';
import type { Actor } from '../actor.ts';
import { collectionKey } from '../collections/collections.ts';
import type { CollectionPolicy, Policies } from '../collections/policies.ts';
import { inheritorsOf } from '../collections/visibility.ts';
import { documentResolver } from '../criteria/names.ts';
import { pathsIn } from '../criteria/rules.ts';
import type { Condition, Path } from '../criteria/syntax.ts';
import { valueAt } from '../criteria/values.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { VisibilityMark } from '../ports/storage/changes.ts';
import type { DocumentRecord, FoundDocument, PlacedDocument } from '../ports/storage/documents.ts';
import type { Stores } from '../ports/storage/storage.ts';
import { type AudienceDeps, type Audiences, audiencesOf, differenceOf, NO_AUDIENCES } from './audiences.ts';
import { parentId, parentOf } from './ruled-rights.ts';
import type { DocumentScopes } from './scopes.ts';

/** Maximum number of children that are removed in the transaction of their parent. */
export const MANY_CHILDREN = 200;

/** A collection whose documents inherit permissions. */
interface ChildCollection {
  readonly key: string;
  readonly parent: NonNullable<CollectionPolicy['parent']>;
}

/** Returns the collections whose documents may have parents in this one. */
export function childrenOf(policies: Policies, key: string): readonly ChildCollection[] {
  return Array.from(policies).flatMap(([child, { parent }]) =>
    parent !== null && child !== key && (parent.collection ?? key) === key ? [{ key: child, parent }] : [],
  );
}

/** Returns the filter for the children of a document. */
const isChildOf = ({ parent }: ChildCollection, id: string): Condition => ({
  kind: 'compare',
  operator: '=',
  left: { kind: 'path', path: parent.path },
  right: { kind: 'constant', value: id, untyped: false },
});

/** Returns children of a document. */
async function childrenIn(
  { documents }: Pick<Stores, 'documents'>,
  child: ChildCollection,
  id: string,
  limit: number,
): Promise<readonly DocumentRecord[]> {
  const where = isChildOf(child, id);
  const all = { scope: EVERYTHING, order: [], after: null, skip: 0, isCurrent: true } as const;
  return (await documents.list({ collection: child.key, ...all, where, limit })) ?? [];
}

/** Resolves to true if documents name this one, or one with its id, as their parent. */
export async function hasChildren(
  { stores, policies }: Pick<InheritanceDeps, 'stores' | 'policies'>,
  key: string,
  id: string,
): Promise<boolean> {
  for (const child of childrenOf(policies, key)) if ((await childrenIn(stores, child, id, 1)).length > 0) return true;
  return false;
}

export interface InheritanceDeps extends AudienceDeps {
  readonly stores: Stores;
  readonly clock: Clock;
  /** True for children of a document that is gone already, which nothing can restrict. */
  readonly isLate?: true;
  /** Ids of documents being removed, which may refer to each other. */
  readonly removing?: Set<string>;
  /** Called if something that goes with a removed document remains to be removed. */
  readonly onRest?: () => void;
}

/** A write in a transaction: its stores, and the permissions of the caller. */
export interface Writing extends InheritanceDeps {
  readonly actor: Actor;
  /** Permissions on documents of any collection. */
  readonly anywhere: Awaited<ReturnType<DocumentScopes['anywhere']>>;
}

/** @throws `document.parent_invalid` if the parent has too many ancestors, or one in the same collection */
async function checkAncestors({ stores, policies }: Writing, key: string, parent: DocumentRecord): Promise<void> {
  const path = [key];
  let next: DocumentRecord | null = parent;
  while (next !== null) {
    const here = collectionKey(next.collection);
    if (path.includes(here) || path.length > MAX_ANCESTORS) {
      const detail = `at most ${MAX_ANCESTORS} ancestors, each in another collection`;
      throw new AppError('document.parent_invalid', { detail });
    }
    path.push(here);
    const rule = policies.get(here)?.parent ?? null;
    const id: string | null = rule === null ? null : parentOf(next, rule.path);
    next =
      rule === null || id === null
        ? null
        : await stores.documents.find({ collection: rule.collection, id }, EVERYTHING);
  }
}

/**
 * Returns the parent of a document that is created or moved, locked against removal; null if parents are not required.
 *
 * @throws `document.parent_invalid` if there is no readable parent, `access.denied` without the right on it
 */
export async function requireParent(
  writing: Writing,
  key: string,
  document: DocumentRecord,
): Promise<FoundDocument | null> {
  const { stores, policies, actor, anywhere } = writing;
  const parent = policies.get(key)?.parent ?? null;
  if (parent === null || parent.needs.create === null || actor.isPrivileged) return null;
  const id = parentId(valueAt(parent.path, documentResolver(document)));
  const invalid = () =>
    new AppError('document.parent_invalid', { detail: `"${parent.field}" must be the id of a document you may read` });
  if (id === null) throw invalid();
  await stores.documents.lock([id]);
  const found = await stores.documents.find({ collection: parent.collection, id }, anywhere);
  if (found === null || !allows(found.rights, 'read')) throw invalid();
  if (!allows(found.rights, parent.needs.create)) throw new AppError('access.denied');
  await checkAncestors(writing, key, found);
  return found;
}

/** Two versions of a document. */
interface Versions {
  readonly before: DocumentRecord;
  readonly after: DocumentRecord;
}

function differAt(paths: readonly Path[], { before, after }: Versions): boolean {
  const valuesOf = (document: DocumentRecord) => {
    const resolve = documentResolver(document);
    return JSON.stringify(paths.map((path) => valueAt(path, resolve) ?? null));
  };
  return paths.length > 0 && valuesOf(before) !== valuesOf(after);
}

/** Returns true if a change moves the document to another parent. */
export const isMoved = ({ parent }: CollectionPolicy, versions: Versions): boolean =>
  parent !== null && differAt([parent.path], versions);

/** Returns true if a change may affect permissions on the document, or on those that inherit from it. */
export function mayAffectAccess({ parent, rules }: CollectionPolicy, versions: Versions): boolean {
  const paths = rules.flatMap(({ condition }) => (condition === null ? [] : pathsIn(condition)));
  return differAt(parent === null ? paths : [parent.path, ...paths], versions);
}

/** Audiences of a document, and those that its descendants inherit from it. */
export interface Reach {
  readonly own: Audiences;
  /** By the right on it that is needed below. */
  readonly below: ReadonlyMap<Action, Audiences>;
}

export const NO_REACH: Reach = { own: NO_AUDIENCES, below: new Map() };

/** Returns the audiences of a document at this moment of a transaction; those below only if it has children. */
export async function reachOf(deps: InheritanceDeps, document: DocumentRecord): Promise<Reach> {
  const below = new Map<Action, Audiences>();
  const here = collectionKey(document.collection);
  const own = await audiencesOf(deps, document);
  if (!(await hasChildren(deps, here, document.id))) return { own, below };
  for (const { key, parent } of childrenOf(deps.policies, here)) {
    for (const need of Object.values(parent.needs)) {
      if (need !== null && !below.has(need)) below.set(need, await audiencesOf(deps, document, need, [key]));
    }
  }
  return { own, below };
}

/** Returns marks of the collections whose documents may inherit from a document in `key`, for changed audiences. */
function marksBelow(policies: Policies, key: string, audiences: Iterable<Principal>): VisibilityMark[] {
  // Followers have no marks of their own.
  const marked = new Set(Array.from(audiences, (one) => (one.startsWith(authorAudience('')) ? EVERYBODY : one)));
  return Array.from(inheritorsOf(policies, key)).flatMap((collection) =>
    Array.from(marked, (audience) => ({ audience, collection, reason: 'rules' }) as const),
  );
}

/** Records for the change feed which audiences lost a document, and gained or lost documents that inherit from it. */
export async function recordReach(
  deps: InheritanceDeps,
  document: DocumentRecord,
  { before, after }: { readonly before: Reach; readonly after: Reach },
): Promise<void> {
  const { stores, policies, clock } = deps;
  const key = collectionKey(document.collection);
  const { lost, roles } = differenceOf(before.own, after.own);
  if (lost.length > 0) await stores.changes.recordAccess(document.id, lost);
  const marks: VisibilityMark[] = roles.map((audience) => ({ audience, collection: key, reason: 'rules' }));
  const changed = new Set<string>();
  for (const need of new Set([...before.below.keys(), ...after.below.keys()])) {
    const difference = differenceOf(before.below.get(need) ?? NO_AUDIENCES, after.below.get(need) ?? NO_AUDIENCES);
    for (const one of [...difference.lost, ...difference.gained, ...difference.roles]) changed.add(one);
  }
  marks.push(...marksBelow(policies, key, changed));
  await stores.changes.markVisibility(marks, clock.now());
}

/**
 * Removes a document with the children that go with it, up to `budget`. The rest is listed by `documents.orphans`.
 * Resolves to the unused budget.
 *
 * @throws `document.has_children`
 */
export async function removeTree(
  deps: InheritanceDeps,
  document: DocumentRecord,
  budget = MANY_CHILDREN,
): Promise<number> {
  const key = collectionKey(document.collection);
  const removing = (deps.removing ?? new Set()).add(document.id);
  let left = budget;
  for (const child of childrenOf(deps.policies, key)) {
    left = await removeChildren({ ...deps, removing }, child, { collection: key, id: document.id }, left);
  }
  await recordReach(deps, document, { before: await reachOf(deps, document), after: NO_REACH });
  const result = await deps.stores.documents.remove({ collection: key, id: document.id }, EVERYTHING);
  if (result === 'leaving') deps.onRest?.();
  return left;
}

/** Removes the children of a document in one collection. Resolves to the unused budget. @throws as `removeTree` */
export async function removeChildren(
  deps: InheritanceDeps,
  child: ChildCollection,
  document: PlacedDocument,
  budget: number,
): Promise<number> {
  const { onDelete } = child.parent;
  if (onDelete === 'detach' || (onDelete === 'restrict' && deps.isLate)) return budget;
  const children = await childrenIn(deps.stores, child, document.id, onDelete === 'restrict' ? 1 : budget + 1);
  if (onDelete === 'restrict' && children.length > 0) {
    throw new AppError('document.has_children', { detail: `in collection "${child.key}"` });
  }
  const open = children.filter((one) => deps.removing?.has(one.id) !== true);
  if (childrenOf(deps.policies, child.key).length === 0) {
    // Without waiting for each other: a database on another machine answers them together.
    await allDone(open.slice(0, budget).map((one) => removeTree(deps, one, 0)));
    if (open.length > budget) await leaveRest(deps, document);
    return Math.max(budget - open.length, 0);
  }
  let left = budget;
  for (const one of open) if (left > 0) left = await removeTree(deps, one, left - 1);
  // Also if some of the children in this part are being removed already: others may follow them.
  if (left > 0 && children.length <= budget) return left;
  await leaveRest(deps, document);
  return 0;
}

/** Records that children of a removed document are still to be removed. */
async function leaveRest({ stores, onRest }: InheritanceDeps, document: PlacedDocument): Promise<void> {
  await stores.documents.addOrphans(document);
  onRest?.();
}

/** Waits for all, also after a failure: nothing may follow the end of the transaction. @throws the first failure */
async function allDone(all: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(all)).find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
