import {
  type AccessScope,
  type Action,
  allows,
  type Condition,
  type Path,
  RIGHTS,
  type Rights,
  type RuledAccess,
  type Storage,
} from '@baobab/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { now, readPages, shown, wantedBy } from './feed-reading.ts';
import {
  ANYBODY,
  accessScopeOfUser,
  addCollection,
  addUser,
  appliesParents,
  behind,
  EVERYTHING,
  newDocument,
  uuid,
} from './fixtures.ts';

const PARENT: Path = ['on', 'parent'];
/** More children than are read without trying the first documents of the list, and more others than those. */
const [MANY_OLD, MANY_NEW] = [4_200, 2_100];
const TIMEOUT_MS = 300_000;
const KEYS = ['boards', 'lists', 'tasks', 'notes', 'files'];
const IS_PUBLIC: Condition = equals(['public'], true);
const NO_RULES: RuledAccess = { rights: 0, conditions: [], parent: null };
const NEEDS = { read: 'read', update: 'update', delete: null } as const;

function equals(path: Path, value: string | boolean): Condition {
  return {
    kind: 'compare',
    operator: '=',
    left: { kind: 'path', path },
    right: { kind: 'constant', value, untyped: false },
  };
}

/** A stored document as the oracle knows it. */
interface Known {
  readonly id: string;
  readonly key: string;
  readonly author: string;
  readonly isPublic: boolean;
  readonly parent: string | null;
  readonly grants: ReadonlyMap<string, Rights>;
}

type Rules = ReadonlyMap<string, RuledAccess>;

interface Oracle {
  readonly scope: AccessScope;
  readonly all: ReadonlyMap<string, Known>;
  readonly follows: ReadonlySet<string>;
}

/** Returns the rights by ownership, grants and follows. */
function plainRights({ author, grants }: Known, { scope, follows }: Oracle): Rights {
  if (author === scope.owner) return RIGHTS.read | RIGHTS.update | RIGHTS.delete | RIGHTS.all;
  const granted = scope.principals.reduce<Rights>((rights, principal) => rights | (grants.get(principal) ?? 0), 0);
  return scope.followed && follows.has(author) ? granted | RIGHTS.read : granted;
}

/** Returns the parent from which a document inherits, if its collection is not on the path from the first document. */
function parentOf(document: Known, rule: RuledAccess, { all }: Oracle, path: readonly string[]): Known | null {
  const parent = all.get(document.parent ?? '');
  if (rule.parent === null || parent === undefined || path.length > 3 || path.includes(parent.key)) return null;
  return rule.parent.collection === null || rule.parent.collection === parent.key ? parent : null;
}

/** Returns the rights on a document, by a definition that shares nothing with the storages. */
function rightsOn(document: Known, oracle: Oracle, above: readonly string[] = []): Rights {
  let rights = plainRights(document, oracle);
  const rule = oracle.scope.rules?.get(document.key);
  if (rule === undefined) return rights;
  rights |= rule.rights;
  if (document.isPublic) for (const condition of rule.conditions) rights |= condition.rights;
  const path = [...above, document.key];
  const parent = parentOf(document, rule, oracle, path);
  const held = parent === null ? 0 : rightsOn(parent, oracle, path);
  for (const action of ['read', 'update', 'delete'] as const) {
    const need = rule.parent?.needs[action] ?? null;
    if (need !== null && allows(held, need)) rights |= RIGHTS[action];
  }
  return rights;
}

const MADE = fc.record({
  key: fc.constantFrom(...KEYS),
  author: fc.constantFrom('ann', 'bob'),
  isPublic: fc.boolean(),
  parent: fc.oneof({ arbitrary: fc.nat({ max: 30 }), weight: 4 }, { arbitrary: fc.constant(null), weight: 1 }),
  grant: fc.option(fc.tuple(fc.constantFrom('eve', 'bob', null), fc.constantFrom(1, 2, 3, 4, 8))),
});
type Made = typeof MADE extends fc.Arbitrary<infer One> ? One : never;

const RULE = fc.record({
  rights: fc.constantFrom(0, 0, 0, RIGHTS.read, RIGHTS.update),
  conditions: fc.constantFrom([], [], [{ rights: RIGHTS.read, where: IS_PUBLIC }]),
  parent: fc.option(
    fc.record({
      path: fc.constant(PARENT),
      collection: fc.constantFrom(null, null, ...KEYS),
      needs: fc.record({
        read: fc.constantFrom('read', 'read', 'update', 'delete', 'all', null),
        update: fc.constantFrom('update', 'read', null),
        delete: fc.constantFrom('delete', null),
      }),
    }),
    { freq: 4 },
  ),
});
const RULES = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...KEYS), RULE), { selector: ([key]) => key, minLength: 1 })
  .map((entries): Rules => new Map(entries));

const withoutParents = (rules: Rules): Rules =>
  new Map(Array.from(rules, ([key, rule]) => [key, { ...rule, parent: null }]));

function grantOf(grant: Made['grant'], people: Readonly<Record<string, string>>) {
  const [grantee, rights] = grant ?? [null, 0];
  return { principal: grantee === null ? 'r:anonymous' : `u:${people[grantee]}`, rights };
}

/** Access to documents by conditions, and by the rights on their parents. */
export function inheritedAccessContract(current: () => Storage): void {
  async function addAll(): Promise<void> {
    for (const key of KEYS) await addCollection(current(), key);
  }

  it('reads a child through its parent by every method, and no longer without the right', async () => {
    await addAll();
    if (!(await appliesParents(current(), 'tasks'))) return;
    const { documents } = current();
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    const board = newDocument(ann.id, 'boards');
    await documents.add(board);
    const task = newDocument(ann.id, 'tasks', { content: JSON.stringify({ on: { parent: board.id } }) });
    await documents.add(task);
    const rules: Rules = new Map([
      ['tasks', { ...NO_RULES, parent: { path: PARENT, collection: 'boards', needs: NEEDS } }],
    ]);
    const scope = { ...accessScopeOfUser(bob.id), rules };
    const here = { collection: 'boards', id: board.id };
    const seen = async () => ({
      find: (await documents.find({ collection: 'tasks', id: task.id }, scope))?.rights,
      count: await documents.count('tasks', scope, null),
      lookUp: (await documents.lookUp({ ids: [task.id], scope, openCollections: [] })).length,
    });
    expect(await seen()).toEqual({ find: 0, count: 0, lookUp: 0 });
    await documents.grant(here, EVERYTHING, { principal: `u:${bob.id}`, rights: RIGHTS.read });
    expect(await seen()).toEqual({ find: RIGHTS.read, count: 1, lookUp: 1 });
    await documents.grant(here, EVERYTHING, { principal: `u:${bob.id}`, rights: RIGHTS.update });
    expect(await seen()).toMatchObject({ find: RIGHTS.read | RIGHTS.update });
    await documents.revoke(here, EVERYTHING, { principal: `u:${bob.id}`, action: 'read' });
    expect(await seen()).toEqual({ find: RIGHTS.update, count: 0, lookUp: 0 });
  });

  it('lists the newest of many children that are older than those of others', { timeout: TIMEOUT_MS }, async () => {
    await addAll();
    if (!(await appliesParents(current(), 'tasks'))) return;
    const { documents, indexes, transaction } = current();
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    const [theirs, other] = [newDocument(bob.id, 'boards'), newDocument(ann.id, 'boards')];
    for (const board of [theirs, other]) await documents.add(board);
    const ids: string[] = [];
    await transaction(async (stores) => {
      for (let n = 0; n < MANY_OLD + MANY_NEW; n++) {
        const parent = n < MANY_OLD ? theirs.id : other.id;
        const task = newDocument(ann.id, 'tasks', { content: JSON.stringify({ on: { parent } }) });
        await stores.documents.add(task);
        if (n < MANY_OLD) ids.push(task.id);
      }
    });
    await indexes.declare({ collection: 'tasks', paths: [PARENT], name: 'tasks_by_parent' }, 1);
    await indexes.reconcile();
    const parent = { path: PARENT, collection: 'boards', needs: NEEDS };
    const rules: Rules = new Map([['tasks', { ...NO_RULES, parent }]]);
    const scope = { ...accessScopeOfUser(bob.id), rules };
    const order = [{ path: ['_creation_date'], descending: true }] as const;
    const page = { collection: 'tasks', scope, where: null, order, skip: 0, limit: 3 };
    const idsOf = async (after: string | null) =>
      (await documents.list({ ...page, after: behind(after) }))?.map(({ id }) => id);
    expect(await idsOf(null)).toEqual(ids.slice(-3).toReversed());
    expect(await idsOf(ids.at(-3) ?? '')).toEqual(ids.slice(-6, -3).toReversed());
    expect(await documents.list({ ...page, order: [], after: null })).toMatchObject(
      ids.slice(0, 3).map((id) => ({ id })),
    );
  });

  /** Adds documents, and returns what the oracle knows of them. */
  async function addDocuments(specs: readonly Made[], people: Readonly<Record<string, string>>) {
    const all = new Map<string, Known>();
    const ids = specs.map(() => uuid());
    for (const [at, { key, author, isPublic, parent, grant }] of specs.entries()) {
      const to = parent === null ? null : (ids[parent % ids.length] ?? null);
      const { principal, rights } = grantOf(grant, people);
      const grants = rights === 0 ? [] : [{ principal, rights }];
      const content = JSON.stringify({ public: isPublic, on: { parent: to }, at });
      const [id, authorId] = [ids[at] ?? '', people[author] ?? ''];
      await current().documents.add(newDocument(authorId, key, { id, content, grants }));
      all.set(id, { id, key, author: authorId, isPublic, parent: to, grants: new Map([[principal, rights]]) });
    }
    return all;
  }

  /** Checks all methods that read documents of one collection. */
  async function checkCollection(key: string, oracle: Oracle, readable: readonly Known[]): Promise<void> {
    const { documents } = current();
    // As the use cases do: the rights of the rules on every document are those of the addressed collection.
    const scope = { ...oracle.scope, ruled: oracle.scope.rules?.get(key)?.rights ?? 0 };
    const list = { collection: key, scope, where: null, order: [], after: null, skip: 0, limit: 100 };
    const idsOf = async (more: object) => (await documents.list({ ...list, ...more }))?.map(({ id }) => id).toSorted();
    const here = readable.filter((one) => one.key === key);
    const [ids, shown] = [here, here.filter(({ isPublic }) => isPublic)].map((of) => of.map(({ id }) => id).toSorted());
    expect({ key, list: await idsOf({}) }).toEqual({ key, list: ids });
    expect(await idsOf({ order: [{ path: ['at'], descending: true }] })).toEqual(ids);
    expect(await idsOf({ where: IS_PUBLIC })).toEqual(shown);
    expect(await documents.count(key, scope, null)).toBe(ids?.length);
    expect(await documents.count(key, scope, IS_PUBLIC)).toBe(shown?.length);
    for (const document of oracle.all.values()) {
      if (document.key !== key) continue;
      const found = await documents.find({ collection: key, id: document.id }, scope);
      expect(found?.rights).toBe(rightsOn(document, oracle));
    }
  }

  it('agrees with the definition for random documents, rules and readers, by every method', async () => {
    await addAll();
    const storage = current();
    const users = await Promise.all(['ann', 'bob', 'eve'].map((name) => addUser(storage, name)));
    const people = Object.fromEntries(users.map(({ name, id }) => [name, id]));
    const { ann = '', bob = '', eve = '' } = people;
    await storage.follows.add(eve, ann);
    // With an index on their parents, other statements find the children.
    for (const key of ['tasks', 'notes']) {
      await storage.indexes.declare({ collection: key, paths: [PARENT], name: `parents_of_${key}` }, 10);
    }
    await storage.indexes.reconcile();
    const ofEve = accessScopeOfUser(eve);
    const many = { ...ofEve, principals: [...ofEve.principals, 'g:1', 'g:2', 'g:3'] };
    const readers = [ANYBODY, accessScopeOfUser(bob), ofEve, { ...ofEve, followed: true }, many];
    const agrees = async (specs: readonly Made[], rules: Rules, reader: AccessScope): Promise<void> => {
      const after = await now(storage);
      const all = await addDocuments(specs, people);
      const oracle = { scope: { ...reader, rules }, all, follows: new Set([ann]) };
      const readable = Array.from(all.values()).filter((one) => allows(rightsOn(one, oracle), 'read'));
      for (const key of KEYS) await checkCollection(key, oracle, readable);
      const openCollections = KEYS.filter((key) => allows(rules.get(key)?.rights ?? 0, 'read'));
      const ids = readable.map(({ id }) => id).toSorted();
      const looked = await storage.documents.lookUp({
        ids: Array.from(all.keys()),
        scope: oracle.scope,
        openCollections,
      });
      expect(looked.map(({ id }) => id).toSorted()).toEqual(ids);
      const news = await readPages(storage, wantedBy(oracle.scope, { openCollections, after, limit: 7 }));
      expect(news.map(shown).toSorted()).toEqual(ids.map((id) => `+${id}`));
      for (const id of all.keys()) await storage.documents.remove({ collection: null, id }, EVERYTHING);
    };
    const hasParents = await appliesParents(storage, 'tasks');
    const rules = RULES.map((all) => (hasParents ? all : withoutParents(all)));
    const documents = fc.array(MADE, { minLength: 1, maxLength: 12 });
    await fc.assert(fc.asyncProperty(documents, rules, fc.constantFrom(...readers), agrees), { numRuns: 25 });
  });

  it('names the holders of a right on a document', async () => {
    await addAll();
    const ann = await addUser(current(), 'Ann');
    const { documents } = current();
    const grants = [
      { principal: 'r:registereduser', rights: RIGHTS.read },
      { principal: 'r:anonymous', rights: RIGHTS.all },
    ];
    const document = newDocument(ann.id, 'boards', { grants });
    await documents.add(document);
    const holders = async (action: Action) => (await documents.holders(document.id, action)).principals.toSorted();
    expect(await holders('read')).toEqual(['r:anonymous', 'r:registereduser']);
    expect(await holders('update')).toEqual(['r:anonymous']);
    expect((await documents.holders(document.id, 'read')).authorId).toBe(ann.id);
    expect(await documents.holders(uuid(), 'read')).toEqual({ authorId: null, principals: [] });
  });

  it('reports a document as gone for audiences that lost it', async () => {
    await addAll();
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    const document = newDocument(ann.id, 'boards');
    await current().documents.add(document);
    const after = await now(current());
    await current().changes.recordAccess(document.id, [`u:${bob.id}`]);
    const newsOf = async (scope: AccessScope) => (await readPages(current(), wantedBy(scope, { after }))).map(shown);
    expect(await newsOf(accessScopeOfUser(bob.id))).toEqual([`-${document.id}`]);
    expect(await newsOf(ANYBODY)).toEqual([]);
  });

  it('keeps the removed parents whose children are to be removed', async () => {
    const [a, b] = [uuid(), uuid()].toSorted().map((id) => ({ collection: 'boards', id }));
    const { documents } = current();
    for (const one of [b, a, b]) if (one !== undefined) await documents.addOrphans(one);
    expect(await documents.orphans(1)).toEqual([a]);
    expect(await documents.orphans(5)).toEqual([a, b]);
    await documents.removeOrphans(a?.id ?? '');
    await documents.removeOrphans(a?.id ?? '');
    expect(await documents.orphans(5)).toEqual([b]);
  });
}
