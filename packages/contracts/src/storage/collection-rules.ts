import {
  type AccessScope,
  type Aggregate,
  type Condition,
  NO_RULES,
  NOBODY,
  type Path,
  RIGHTS,
  type Rule,
  type Storage,
} from '@baobab/core';
import { expect, it } from 'vitest';
import {
  ANYBODY,
  accessScopeOfUser,
  addCollection,
  addUser,
  appliesParents,
  newDocument,
  UNSORTED,
  uuid,
} from './fixtures.ts';

/** Rules of these roles on all documents. */
const roles = (...names: string[]): Rule[] => names.map((role) => ({ role, condition: null }));
const { read: READ, update: UPDATE, delete: DELETE } = RIGHTS;

export function collectionRulesContract(current: () => Storage): void {
  const rulesOf = async (key: string) => (await current().collections.rules()).get(key);

  async function addRoles(...names: string[]): Promise<void> {
    for (const name of names) await current().roles.add({ name, description: '' });
  }

  it('stores the rules that are given, by the names of roles in the order of their keys, and keeps the others', async () => {
    const key = await addCollection(current(), 'Books');
    await addCollection(current(), 'films');
    await addRoles('Editors', 'clerks');
    expect(await rulesOf(key)).toBeUndefined();
    await current().collections.setRules(key, { read: roles('editors', 'clerks'), update: roles('editors') });
    expect(await rulesOf(key)).toEqual({ ...NO_RULES, read: roles('clerks', 'Editors'), update: roles('Editors') });
    await current().collections.setRules(key, { create: roles('backoffice'), update: [] });
    await current().collections.setRules(key, {});
    expect(await rulesOf(key)).toEqual({ ...NO_RULES, create: roles('BackOffice'), read: roles('clerks', 'Editors') });
    expect(Array.from((await current().collections.rules()).keys())).toEqual([key]);
  });

  it('resolves to the rules that it replaced', async () => {
    const key = await addCollection(current(), 'books');
    await addRoles('Editors', 'clerks');
    const { collections } = current();
    expect(await collections.setRules(key, { read: roles('editors', 'clerks'), create: roles('clerks') })).toEqual(
      NO_RULES,
    );
    const first = { ...NO_RULES, read: roles('clerks', 'editors'), create: roles('clerks') };
    expect(await collections.setRules(key, { update: [], read: roles('clerks') })).toEqual(first);
    expect(await collections.setRules(key, {})).toEqual({ ...first, read: roles('clerks') });
    const each = ['editors', 'clerks', 'anonymous', 'registereduser'];
    const before = await Promise.all(each.map((role) => collections.setRules(key, { read: roles(role) })));
    // Each of them replaced a value set by another one, or the initial value.
    const last = (await rulesOf(key))?.read ?? [];
    const replaced = [...before.flatMap((rules) => rules?.read ?? []), ...last].map(({ role }) => role.toLowerCase());
    expect(replaced.toSorted()).toEqual(['clerks', ...each].toSorted());
  });

  it('stores conditions, parents and checks, and returns them unchanged', async () => {
    const key = await addCollection(current(), 'tasks');
    const rule = (condition: string | null) => ({ role: 'registereduser', condition });
    const parent = {
      field: 'on.board',
      collection: 'boards',
      needs: { create: 'update', read: 'read', update: null, delete: 'all' },
      onDelete: 'restrict',
    } as const;
    const hasParents = await appliesParents(current(), key);
    const checks = {
      update: { expression: "old.a = 'é\"'", message: null },
      delete: { expression: 'x', message: 'No' },
    };
    const read = [rule("title = 'it''s'"), rule(null), rule('a = 1')];
    await current().collections.setRules(key, { read, checks, ...(hasParents && { parent }) });
    const stored = {
      ...NO_RULES,
      read: [rule(null), rule('a = 1'), rule("title = 'it''s'")],
      checks,
      parent: hasParents ? parent : null,
    };
    expect(await rulesOf(key)).toEqual(stored);
    expect(await current().collections.setRules(key, { parent: null, checks: {} })).toEqual(stored);
    expect(await rulesOf(key)).toEqual({ ...stored, parent: null, checks: {} });
  });

  it('stores that no role may create', async () => {
    const key = await addCollection(current(), 'books');
    await current().collections.setRules(key, { create: [] });
    expect(await rulesOf(key)).toEqual({ ...NO_RULES, create: [] });
  });

  it('sets no rules of a collection that does not exist, and none for unknown roles', async () => {
    expect(await current().collections.setRules('nothing', { read: roles('anonymous') })).toBeNull();
    const key = await addCollection(current(), 'books');
    const change = current().collections.setRules(key, { read: roles('anonymous', 'nobody') });
    await expect(change).rejects.toMatchObject({ code: 'grant.role_unknown' });
    expect(await rulesOf(key)).toBeUndefined();
  });

  it('renames and removes a role in the rules', async () => {
    const key = await addCollection(current(), 'books');
    await addRoles('editors', 'clerks');
    await current().collections.setRules(key, { create: roles('editors'), read: roles('clerks', 'editors') });
    await current().roles.update('editors', { name: 'Authors', description: '' });
    expect(await rulesOf(key)).toEqual({ ...NO_RULES, create: roles('Authors'), read: roles('Authors', 'clerks') });
    await current().roles.remove('authors');
    expect(await rulesOf(key)).toEqual({ ...NO_RULES, create: [], read: roles('clerks') });
  });

  it('removes the rules with their collection', async () => {
    const key = await addCollection(current(), 'books');
    await current().collections.setRules(key, { read: roles('anonymous') });
    await current().collections.remove(key);
    await addCollection(current(), 'books');
    expect((await current().collections.rules()).size).toBe(0);
  });

  it('keeps every rule of many concurrent changes', async () => {
    const key = await addCollection(current(), 'books');
    const actions = ['create', 'read', 'update', 'delete'] as const;
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const action = actions[i % actions.length] ?? 'read';
        return current().collections.setRules(key, { [action]: roles('registereduser') });
      }),
    );
    const role = roles('registereduser');
    expect(await rulesOf(key)).toEqual({ ...NO_RULES, create: role, read: role, update: role, delete: role });
  });

  it('locates a document by its id', async () => {
    const [key, ann] = [await addCollection(current(), 'Books'), await addUser(current(), 'Ann')];
    const document = newDocument(ann.id, key);
    await current().documents.add(document);
    expect(await current().documents.locate(document.id)).toBe('books');
    expect(await current().documents.locate(uuid())).toBeNull();
  });

  it('gives the rights of rules on every document, and no others', async () => {
    const [key, ann, bob] = [
      await addCollection(current(), 'books'),
      await addUser(current(), 'Ann'),
      await addUser(current(), 'Bob'),
    ];
    const document = newDocument(ann.id, key, { grants: [{ principal: `u:${bob.id}`, rights: UPDATE }] });
    await current().documents.add(document);
    const { documents } = current();
    for (const collection of [key, null]) {
      const here = { collection, id: document.id };
      const ruled = (rights: number, scope: AccessScope = accessScopeOfUser(uuid())) => ({ ...scope, ruled: rights });
      expect((await documents.find(here, ruled(READ)))?.rights).toBe(READ);
      expect((await documents.find(here, ruled(READ | DELETE, ANYBODY)))?.rights).toBe(READ | DELETE);
      expect((await documents.find(here, ruled(READ, accessScopeOfUser(bob.id))))?.rights).toBe(READ | UPDATE);
      const change = { content: '{"b":2}', by: NOBODY, updated: 1, version: null };
      expect(await documents.replace(here, ruled(READ | DELETE), change)).toBe('denied');
      expect(await documents.replace(here, ruled(UPDATE), change)).toMatchObject({ content: '{"b":2}' });
      const edit = { change: () => '{"c":3}', by: NOBODY, updated: 1, version: null };
      expect(await documents.edit(here, ruled(READ | DELETE), edit)).toBe('denied');
      expect(await documents.edit(here, ruled(UPDATE), edit)).toMatchObject({ content: '{"c":3}' });
      const every = ruled(READ | UPDATE | DELETE);
      const grant = { principal: `u:${bob.id}`, rights: READ };
      expect(await documents.grant(here, every, grant)).toBe('denied');
      expect(await documents.revoke(here, every, { principal: grant.principal, action: 'update' })).toBe('denied');
      expect(await documents.setGrants(here, every, [])).toBe('denied');
      expect(await documents.remove(here, ruled(READ | UPDATE))).toBe('denied');
    }
    expect(await documents.remove({ collection: null, id: document.id }, { ...ANYBODY, ruled: DELETE })).toBe(
      'removed',
    );
  });

  it('lists, counts and summarizes every document by a rule to read, and none by other rules', async () => {
    const [key, ann] = [await addCollection(current(), 'books'), await addUser(current(), 'Ann')];
    const contents = ['{"n":1}', '{"n":2}', '{"n":3}'];
    for (const content of contents) await current().documents.add(newDocument(ann.id, key, { content }));
    const path: Path = ['n'];
    const where: Condition = {
      kind: 'compare',
      operator: '>',
      left: { kind: 'path', path },
      right: { kind: 'constant', value: 1, untyped: false },
    };
    const callers = [ANYBODY, accessScopeOfUser(uuid()), { ...accessScopeOfUser(uuid()), followed: true }];
    const { documents } = current();
    for (const [ruled, seen] of [
      [READ, contents],
      [UPDATE | DELETE, []],
    ] as const) {
      for (const scope of callers.map((caller) => ({ ...caller, ruled }))) {
        const list = { collection: key, scope, ...UNSORTED, after: null, skip: 0, limit: 10 };
        const found = async (more: object) =>
          (await documents.list({ ...list, ...more }))?.map(({ content }) => content);
        expect(await found({})).toEqual(seen);
        expect(await found({ order: [{ path, descending: true }] })).toEqual(seen.toReversed());
        expect(await found({ where })).toEqual(seen.slice(1));
        expect(await documents.count(key, scope, null)).toBe(seen.length);
        expect(await documents.count(key, scope, where)).toBe(seen.slice(1).length);
        const aggregates: Aggregate[] = [{ kind: 'aggregate', name: 'count', path: null, as: 'count' }];
        const summary = { where: null, groupBy: [], aggregates, order: [], skip: 0, limit: 10 };
        expect(await documents.summarize({ collection: key, scope, ...summary })).toEqual([[seen.length]]);
      }
    }
  });
}
