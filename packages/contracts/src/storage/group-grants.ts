import {
  type AccessScope,
  type Condition,
  type Grant,
  groupPrincipal,
  NOBODY,
  type Principal,
  parseQuery,
  RIGHTS,
  type Storage,
} from '@baobab/core';
import { beforeEach, expect, it } from 'vitest';
import { accessScopeOfUser, addCollection, addUser, NOW, newDocument, newFile, uuid } from './fixtures.ts';

/** More than the rows of a page. */
const GROUPS = 30;
const OBJECTS = 150;
const READABLE = RIGHTS.read | RIGHTS.all;

const queryOf = (text: Readonly<Record<string, string>>) =>
  parseQuery({ where: null, orderBy: null, fields: null, groupBy: null, params: [], ...text }, NOW);

/** Tests grants to callers with more principals than a statement has parameters for. */
export function groupGrantsContract(current: () => Storage): void {
  let books: string;
  let [owner, reader, other] = ['', '', ''];
  let groups: Principal[] = [];
  let scope: AccessScope;
  let ids: string[] = [];

  /**
   * Returns the grants of object `i` to some of the groups, with permissions that do or do not allow reading. The first
   * group has more than a page of them. Every fifth object belongs to the reader.
   */
  function grantsOf(i: number): Grant[] {
    const to = groups.filter((_group, g) => (i * 7 + g * 5) % 31 < 2 || (g === 0 && i % 3 === 0));
    return to.map((principal, at) => ({ principal, rights: [1, 2, 9, 4][(i + at) % 4] ?? 0 }));
  }
  const authorOf = (i: number) => (i % 5 === 0 ? reader : owner);
  const isReadable = (i: number, mine: readonly Principal[]) =>
    authorOf(i) === reader ||
    grantsOf(i).some(({ principal, rights }) => mine.includes(principal) && (rights & READABLE) !== 0);
  const expectedIds = (mine: readonly Principal[], keeps: (i: number) => boolean = () => true) =>
    ids.filter((_id, i) => isReadable(i, mine) && keeps(i));

  const scopeWith = (mine: readonly Principal[]): AccessScope => {
    const plain = accessScopeOfUser(reader, 'editors');
    return { ...plain, principals: [...plain.principals, ...mine] };
  };

  beforeEach(async () => {
    books = await addCollection(current(), 'Books');
    [owner, reader, other] = [
      (await addUser(current(), 'Owner')).id,
      (await addUser(current(), 'Reader')).id,
      (await addUser(current(), 'Other')).id,
    ];
    const groupIds = Array.from({ length: GROUPS }, () => uuid());
    for (const id of groupIds) await current().groups.add({ id, name: 'Friends', created: NOW }, other);
    groups = groupIds.map(groupPrincipal);
    scope = scopeWith(groups.slice(0, GROUPS - 2));
    ids = [];
  });

  async function write(add: (i: number, grants: Grant[]) => Promise<string>): Promise<void> {
    for (let i = 0; i < OBJECTS; i++) ids.push(await add(i, grantsOf(i)));
  }
  const writeDocuments = () =>
    write(async (i, grants) => {
      const document = newDocument(authorOf(i), books, { grants, content: JSON.stringify({ n: i, kind: i % 3 }) });
      await current().documents.add(document);
      return document.id;
    });
  const writeFiles = () =>
    write(async (i, grants) => {
      const file = newFile(authorOf(i), { grants, size: i });
      await current().files.add(file);
      return file.id;
    });

  async function listed(where: Condition | null, orderBy: string, limit: number): Promise<string[]> {
    const order = orderBy === '' ? [] : queryOf({ orderBy }).order;
    const found: string[] = [];
    for (let skip = 0; ; skip += limit) {
      const page = { collection: books, scope, where, order, after: null, skip, limit };
      const rows = (await current().documents.list(page)) ?? [];
      found.push(...rows.map(({ id }) => id));
      if (rows.length < limit) return found;
    }
  }

  it('give each document its rights', async () => {
    await writeDocuments();
    for (const [i, id] of ids.entries()) {
      const held = grantsOf(i).filter(({ principal }) => scope.principals.includes(principal));
      const rights = authorOf(i) === reader ? 15 : held.reduce((bits, grant) => bits | grant.rights, 0);
      expect(await current().documents.find({ collection: books, id }, scope)).toMatchObject({ rights });
    }
  });

  it('show in lists and counts what one of the groups may read, each document once', async () => {
    await writeDocuments();
    const expected = expectedIds(scope.principals);
    for (const limit of [1, 7, 100]) {
      expect(await listed(null, '', limit)).toEqual(expected);
      expect(await listed(null, '_creation_date desc', limit)).toEqual(expected.toReversed());
    }
    expect(await current().documents.count(books, scope, null)).toBe(expected.length);
    const lookedUp = await current().documents.lookUp({ ids, scope, openCollections: [] });
    expect(lookedUp.map(({ id }) => id)).toEqual(expected);
    const after = { keys: [], id: ids[20] ?? '' };
    const page = { collection: books, scope, where: null, order: [], after, skip: 0, limit: 5 };
    const rows = (await current().documents.list(page)) ?? [];
    expect(rows.map(({ id }) => id)).toEqual(expected.filter((id) => id > after.id).slice(0, 5));
  });

  it('show in lists all that one group may read, if most of the others may read nothing', async () => {
    const shared = Array.from({ length: 8 }, () => {
      const grants = [{ principal: groups[7] ?? '', rights: RIGHTS.read }];
      return { document: newDocument(owner, books, { grants }), file: newFile(owner, { grants }) };
    });
    for (const { document, file } of shared) {
      await current().documents.add(document);
      await current().files.add(file);
    }
    const { order } = queryOf({ orderBy: '_creation_date desc' });
    const all = { scope, where: null, after: null, skip: 0, limit: 5 } as const;
    for (const [index, page] of [
      [(i: number) => i, { ...all, order: [] }],
      [(i: number) => shared.length - 1 - i, { ...all, order }],
    ] as const) {
      const expected = Array.from({ length: all.limit }, (_, i) => shared[index(i)]);
      const documents = (await current().documents.list({ ...page, collection: books })) ?? [];
      expect(documents.map(({ id }) => id)).toEqual(expected.map((one) => one?.document.id));
      const files = await current().files.list(page);
      expect(files.map(({ id }) => id)).toEqual(expected.map((one) => one?.file.id));
    }
  });

  it.each(['without an index', 'with an index'])(
    'show in searches and summaries what may be read, %s',
    async (index) => {
      await writeDocuments();
      if (index === 'with an index') {
        await current().indexes.declare({ collection: books, paths: [['n']], name: 'by_n' }, 10);
        await current().indexes.reconcile();
      }
      const { where } = queryOf({ where: 'n < 40' });
      const expected = expectedIds(scope.principals, (i) => i < 40);
      for (const limit of [3, 100]) {
        expect(await listed(where, '', limit)).toEqual(expected);
        expect(await listed(where, 'n desc', limit)).toEqual(expected.toReversed());
      }
      expect(await current().documents.count(books, scope, where)).toBe(expected.length);
      const aggregates = [{ kind: 'aggregate', name: 'count', path: null, as: 'n' }] as const;
      const summary = { collection: books, scope, where, groupBy: [], aggregates, order: [], skip: 0, limit: 5 };
      expect(await current().documents.summarize(summary)).toEqual([[expected.length]]);
    },
  );

  it('do not outlast the membership', async () => {
    await writeDocuments();
    for (const mine of [groups.slice(0, 6), groups.slice(6), []]) {
      scope = scopeWith(mine);
      const expected = expectedIds(mine);
      expect(await listed(null, '', 10)).toEqual(expected);
      expect(await current().documents.count(books, scope, null)).toBe(expected.length);
    }
  });

  it('change at once what lists show', async () => {
    await writeDocuments();
    const { documents } = current();
    const anything: AccessScope = { ...scope, everything: true };
    const [one = '', two = ''] = scope.principals.slice(-2);

    async function expectListed(expected: readonly string[]): Promise<void> {
      for (const [descending, inOrder] of [
        [false, expected],
        [true, expected.toReversed()],
      ] as const) {
        const order = descending ? queryOf({ orderBy: '_creation_date desc' }).order : [];
        const page = { collection: books, scope, where: null, order, skip: 0, limit: 20 };
        const after = { keys: order.map(() => null), id: inOrder[19] ?? '' };
        const first = (await documents.list({ ...page, after: null })) ?? [];
        const second = (await documents.list({ ...page, after })) ?? [];
        expect([...first, ...second].map(({ id }) => id)).toEqual(inOrder.slice(0, 40));
      }
    }

    const before = expectedIds(scope.principals);
    await expectListed(before);
    const grants = [one, two].map((principal) => ({ principal, rights: RIGHTS.read }));
    const added = newDocument(owner, books, { grants });
    const here = { collection: books, id: added.id };
    await documents.add(added);
    await expectListed([...before, added.id]);
    expect(await documents.revoke(here, anything, { principal: one, action: 'read' })).toBe('revoked');
    await expectListed([...before, added.id]);
    expect(await documents.revoke(here, anything, { principal: two, action: 'read' })).toBe('revoked');
    await expectListed(before);
    expect(await documents.grant(here, anything, { principal: two, rights: RIGHTS.update })).toBe('granted');
    await expectListed(before);
    expect(await documents.remove({ collection: books, id: before.at(-1) ?? '' }, anything)).toBe('removed');
    await expectListed(before.slice(0, -1));
    scope = scopeWith(groups.slice(0, 6));
    await expectListed(expectedIds(scope.principals).filter((id) => id !== before.at(-1)));
  });

  it('let change, delete and grant what the rights say', async () => {
    const [one = ''] = scope.principals.slice(-1);
    const change = { content: '{}', by: NOBODY, updated: NOW, version: null };
    const granted = { principal: 'r:editors', rights: RIGHTS.read };
    for (const [rights, results] of [
      [RIGHTS.read, ['denied', 'denied', 'denied', 'denied', 'denied']],
      [RIGHTS.update, ['changed', 'denied', 'denied', 'denied', 'denied']],
      [RIGHTS.all, ['changed', 'granted', 'revoked', 'granted', 'removed']],
    ] as const) {
      const document = newDocument(owner, books, { grants: [{ principal: one, rights }] });
      await current().documents.add(document);
      const here = { collection: books, id: document.id };
      const { documents } = current();
      const replaced = await documents.replace(here, scope, change);
      expect([
        typeof replaced === 'string' ? replaced : 'changed',
        await documents.grant(here, scope, granted),
        await documents.revoke(here, scope, { principal: 'r:editors', action: 'read' }),
        await documents.setGrants(here, scope, [{ principal: one, rights }]),
        await documents.remove(here, scope),
      ]).toEqual(results);
    }
  });

  it('work for files in the same way', async () => {
    await writeFiles();
    const expected = expectedIds(scope.principals);
    const all = { scope, where: null, order: [], after: null, skip: 0 } as const;
    expect((await current().files.list({ ...all, limit: 200 })).map(({ id }) => id)).toEqual(expected);
    expect((await current().files.list({ ...all, skip: 3, limit: 4 })).map(({ id }) => id)).toEqual(
      expected.slice(3, 7),
    );
    const newest = { ...all, order: queryOf({ orderBy: '_creation_date desc' }).order };
    for (const wanted of [all, { ...all, scope: scopeWith(groups.slice(0, 1)) }]) {
      const whole = (await current().files.list({ ...wanted, limit: 200 })).map(({ id }) => id).toReversed();
      const backwards = { ...newest, scope: wanted.scope };
      const middle = whole[Math.floor(whole.length / 2)] ?? '';
      const after = { keys: [middle], id: middle };
      expect((await current().files.list({ ...backwards, limit: 200 })).map(({ id }) => id)).toEqual(whole);
      expect((await current().files.list({ ...backwards, skip: 1, limit: 3 })).map(({ id }) => id)).toEqual(
        whole.slice(1, 4),
      );
      expect((await current().files.list({ ...backwards, after, limit: 5 })).map(({ id }) => id)).toEqual(
        whole.filter((id) => id < middle).slice(0, 5),
      );
    }
    expect(await current().files.count({ scope, where: null })).toBe(expected.length);
    const { where } = queryOf({ where: 'contentLength < 30' });
    const few = expectedIds(scope.principals, (i) => i < 30);
    expect((await current().files.list({ ...all, where, limit: 200 })).map(({ id }) => id)).toEqual(few);
    expect(await current().files.count({ scope, where })).toBe(few.length);
    const unreadable = ids.findIndex((_id, i) => !isReadable(i, scope.principals));
    expect(await current().files.find(ids[unreadable] ?? '', scope)).not.toMatchObject({ rights: 15 });
    expect(await current().files.remove(ids[unreadable] ?? '', scopeWith([]))).toBe('denied');
    expect(await current().files.remove(ids[0] ?? '', scope)).toBe('removed');
  });

  it('say whether there was anything to revoke', async () => {
    const [one = '', two = ''] = groups;
    const document = newDocument(owner, books, { grants: [{ principal: one, rights: RIGHTS.read }] });
    const file = newFile(owner, { grants: [{ principal: one, rights: RIGHTS.read }] });
    await current().documents.add(document);
    await current().files.add(file);
    const [here, mine] = [{ collection: books, id: document.id }, accessScopeOfUser(owner)];
    for (const [principal, result] of [
      [two, 'absent'],
      [one, 'revoked'],
      [one, 'absent'],
    ] as const) {
      expect(await current().documents.revoke(here, mine, { principal, action: 'read' })).toBe(result);
      expect(await current().files.revoke(file.id, mine, { principal, action: 'read' })).toBe(result);
    }
  });
}
