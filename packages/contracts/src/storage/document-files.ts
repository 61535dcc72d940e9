import {
  type AccessScope,
  EVERY_RIGHT,
  type NewUser,
  RIGHTS,
  type RuledAccess,
  type Storage,
  userPrincipal,
} from '@baobab/core';
import { expect, it } from 'vitest';
import {
  accessScopeOfUser,
  addCollection,
  addUser,
  appliesParents,
  EVERYTHING,
  newDocument,
  newFile,
  uuid,
} from './fixtures.ts';
import { finishRemovals } from './maintenance.ts';

const NO_RULES: RuledAccess = { rights: 0, conditions: [], parent: null };
const FIRST = { order: [], after: null, skip: 0, limit: 100 } as const;
const EVERYTHING_WITH_DOCUMENTS: AccessScope = { ...EVERYTHING, documents: EVERYTHING };
/** Maximum number of rows in a part of a removal. */
const PART = 500;

/** Files that belong to documents. */
export function documentFilesContract(current: () => Storage): void {
  /** Adds a document of a user, with a file of another one. */
  async function attached(owner: NewUser, author: NewUser, document: Partial<Parameters<typeof newDocument>[2]> = {}) {
    const board = newDocument(owner.id, 'boards', document);
    await current().documents.add(board);
    const file = newFile(author.id, { document: board.id, collection: 'Boards' });
    await current().files.add(file);
    return { board: board.id, file: file.id };
  }

  async function scene() {
    await addCollection(current(), 'Boards');
    const names = ['Ann', 'Bob', 'Eve', 'Zoe'];
    const [ann, bob, eve, zoe] = await Promise.all(names.map((name) => addUser(current(), name)));
    if (!ann || !bob || !eve || !zoe) throw new Error('no users');
    return { ann, bob, eve, zoe };
  }

  /** Scope of a user on files, who inherits by grants, and by rules if given. */
  function scopeOf({ id }: NewUser, more: Partial<AccessScope> = {}): AccessScope {
    const scope = accessScopeOfUser(id);
    return { ...scope, documents: { ...scope, ...more } };
  }

  /** Every way to see files. */
  async function seen(scope: AccessScope, document?: string) {
    const { files } = current();
    const among = document === undefined ? { scope } : { scope, document };
    const where = {
      kind: 'compare',
      operator: '<>',
      left: { kind: 'path', path: ['fileName'] },
      right: { kind: 'constant', value: 'x', untyped: false },
    } as const;
    const list = async (more: object) =>
      (await files.list({ ...FIRST, ...among, where: null, ...more })).map(({ id }) => id);
    const ids = await list({});
    expect((await list({ order: [{ path: ['id'], descending: true }] })).toReversed()).toEqual(ids);
    expect((await list({ order: [{ path: ['fileName'], descending: false }] })).toSorted()).toEqual(ids);
    expect(await list({ where })).toEqual(ids);
    expect(await files.count({ ...among, where: null })).toBe(ids.length);
    expect(await files.count({ ...among, where })).toBe(ids.length);
    return ids;
  }

  it('are returned with their document', async () => {
    const { ann } = await scene();
    const { board, file } = await attached(ann, ann);
    const place = { document: board, collection: 'Boards' };
    expect(await current().files.find(file, EVERYTHING)).toMatchObject({ ...place, rights: EVERY_RIGHT });
    expect(await current().files.list({ ...FIRST, scope: EVERYTHING, where: null })).toMatchObject([place]);
    expect(await current().files.ofDocument(board, 10)).toEqual([file]);
    expect(await current().files.hasOwned()).toBe(true);
  });

  /** A file of a document of Ann that Eve has uploaded, and how to share the document with Bob. */
  async function sharedScene() {
    const users = await scene();
    const attachment = await attached(users.ann, users.eve);
    const here = { collection: 'boards', id: attachment.board };
    const principal = userPrincipal(users.bob.id);
    return {
      ...users,
      ...attachment,
      give: (rights: number) => current().documents.grant(here, EVERYTHING, { principal, rights }),
      revoke: () => current().documents.revoke(here, EVERYTHING, { principal, action: 'read' }),
    };
  }

  it('have the rights on their document in addition to their own', async () => {
    const { ann, bob, zoe, file, give } = await sharedScene();
    const rightsOf = async (scope: AccessScope) => (await current().files.find(file, scope))?.rights;
    expect(await rightsOf(scopeOf(ann))).toBe(EVERY_RIGHT);
    expect(await rightsOf(accessScopeOfUser(ann.id))).toBe(0);
    expect(await rightsOf(scopeOf(bob))).toBe(0);
    await give(RIGHTS.update);
    expect(await rightsOf(scopeOf(bob))).toBe(RIGHTS.update | RIGHTS.delete);
    await give(RIGHTS.read);
    expect(await rightsOf(scopeOf(bob))).toBe(EVERY_RIGHT);
    await current().follows.add(zoe.id, ann.id);
    expect(await rightsOf(scopeOf(zoe, { followed: true }))).toBe(RIGHTS.read);
  });

  it('are in the lists of all who may read their document', async () => {
    const { ann, bob, eve, zoe, board, file, give, revoke } = await sharedScene();
    const other = newFile(eve.id);
    await current().files.add(other);
    expect(await seen(scopeOf(eve))).toEqual([file, other.id].toSorted());
    expect(await seen(EVERYTHING, board)).toEqual([file]);
    expect(await seen(EVERYTHING, other.id)).toEqual([]);
    // Like parents, this needs documents and files on the same node.
    if (!(await appliesParents(current(), 'boards'))) return;
    await give(RIGHTS.update);
    expect(await seen(scopeOf(bob))).toEqual([]);
    await give(RIGHTS.read);
    const many = { ...scopeOf(bob), principals: [...scopeOf(bob).principals, 'g:1', 'g:2', 'g:3'] };
    for (const scope of [scopeOf(ann), scopeOf(bob), many]) expect(await seen(scope)).toEqual([file]);
    await current().follows.add(zoe.id, ann.id);
    expect(await seen(scopeOf(zoe))).toEqual([]);
    expect(await seen(scopeOf(zoe, { followed: true }))).toEqual([file]);
    await revoke();
    expect(await seen(scopeOf(bob))).toEqual([]);
  });

  it('have the rights by rules, also on parents', async () => {
    const { ann, bob, eve } = await scene();
    if (!(await appliesParents(current(), 'boards'))) return;
    await addCollection(current(), 'Teams');
    const team = newDocument(ann.id, 'teams');
    await current().documents.add(team);
    const { file } = await attached(ann, eve, { content: JSON.stringify({ team: team.id, public: true }) });
    const parent = {
      path: ['team'],
      collection: 'teams',
      needs: { read: 'read', update: 'update', delete: null },
    } as const;
    const isPublic = {
      kind: 'compare',
      operator: '=',
      left: { kind: 'path', path: ['public'] },
      right: { kind: 'constant', value: true, untyped: false },
    } as const;
    const under = (access: Partial<RuledAccess>) =>
      scopeOf(bob, { rules: new Map([['boards', { ...NO_RULES, ...access }]]) });
    const conditions = [{ rights: RIGHTS.read, where: isPublic }];
    expect(await seen(under({ rights: RIGHTS.read }))).toEqual([file]);
    expect(await seen(under({ rights: RIGHTS.update }))).toEqual([]);
    expect(await seen(under({ conditions }))).toEqual([file]);
    expect(await seen(under({ parent }))).toEqual([]);
    await current().documents.grant({ collection: 'teams', id: team.id }, EVERYTHING, {
      principal: userPrincipal(bob.id),
      rights: RIGHTS.read,
    });
    expect(await seen(under({ parent }))).toEqual([file]);
    expect((await current().files.find(file, under({ parent })))?.rights).toBe(RIGHTS.read);
  });

  /** Removes a document in some way, and expects its file to be left behind. */
  const isLeft = async (remove: (of: { readonly owner: NewUser; readonly board: string }) => Promise<unknown>) => {
    const { ann, eve } = await scene();
    const { board, file } = await attached(ann, eve);
    const other = newFile(eve.id);
    await current().files.add(other);
    await current().files.grant(file, EVERYTHING, { principal: 'r:anonymous', rights: RIGHTS.read });
    await remove({ owner: ann, board });
    await finishRemovals(current(), PART);
    expect(await current().files.leftBehind(10)).toEqual([board]);
    for (const scope of [EVERYTHING_WITH_DOCUMENTS, scopeOf(eve)]) {
      expect(await seen(scope)).toEqual([other.id]);
      expect(await current().files.find(file, scope)).toBeNull();
    }
    expect(await current().files.remove(file, accessScopeOfUser(eve.id))).toBe('missing');
    // Its bytes are still there.
    expect(await current().files.existing([file])).toEqual([file]);
    expect(await current().files.ofDocument(board, 10)).toEqual([file]);
    await current().files.removeLeft([file]);
    await current().files.forgetDocument(board);
    expect(await current().files.leftBehind(10)).toEqual([]);
    expect(await current().files.existing([file, other.id])).toEqual([other.id]);
  };

  it('are left behind by a removed document, and invisible', () =>
    isLeft(async ({ board }) => {
      expect(await current().documents.remove({ collection: 'boards', id: board }, EVERYTHING)).toBe('leaving');
    }));

  it('are left behind by a removed collection, and invisible', () =>
    isLeft(() => current().collections.remove('boards')));

  it('are left behind by a removed author of the document, and invisible', () =>
    isLeft(({ owner }) => current().users.remove(owner.id)));

  it('leave nothing behind where there are none', async () => {
    const { ann } = await scene();
    const document = newDocument(ann.id, 'boards');
    await current().documents.add(document);
    await current().files.add(newFile(ann.id));
    expect(await current().files.hasOwned()).toBe(false);
    expect(await current().documents.remove({ collection: 'boards', id: document.id }, EVERYTHING)).toBe('removed');
    await current().collections.remove('boards');
    expect(await current().files.leftBehind(10)).toEqual([]);
    expect(await current().files.ofDocument(uuid(), 10)).toEqual([]);
  });
}
