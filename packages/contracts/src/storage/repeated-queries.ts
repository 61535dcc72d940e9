import { type AccessScope, groupPrincipal, parseQuery, RIGHTS, type Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { ANYBODY, accessScopeOfUser, addCollection, addUser, EVERYTHING, NOW, newDocument, uuid } from './fixtures.ts';

const DOCUMENTS = 60;
const LIMIT = 7;

/** Tests repeated queries, which are parsed once: with other callers, pages, collections and indexes. */
export function repeatedQueriesContract(current: () => Storage): void {
  it('gives each caller the documents that they may read', async () => {
    const [books, films] = [await addCollection(current(), 'books'), await addCollection(current(), 'films')];
    const [ann, bob, eve] = [
      (await addUser(current(), 'ann')).id,
      (await addUser(current(), 'bob')).id,
      (await addUser(current(), 'eve')).id,
    ];
    const groups = Array.from({ length: 4 }, () => uuid());
    for (const id of groups) await current().groups.add({ id, name: 'Friends', created: NOW }, ann);
    const [first = ''] = groups.map(groupPrincipal);
    await current().follows.add(eve, ann);

    const stored: Array<{ id: string; author: string; collection: string; kind: number; isGranted: boolean }> = [];
    for (let i = 0; i < DOCUMENTS; i++) {
      const [author, collection] = [i % 2 === 0 ? ann : bob, i % 5 === 0 ? films : books];
      const isGranted = i % 7 === 0;
      const grants = isGranted ? [{ principal: first, rights: RIGHTS.read }] : [];
      const document = newDocument(author, collection, { grants, content: JSON.stringify({ kind: i % 3, n: i }) });
      await current().documents.add(document);
      stored.push({ id: document.id, author, collection, kind: i % 3, isGranted });
    }

    const inGroups = (id: string): AccessScope => {
      const scope = accessScopeOfUser(id);
      return { ...scope, principals: [...scope.principals, ...groups.map(groupPrincipal)] };
    };
    const callers: ReadonlyArray<readonly [AccessScope, (document: (typeof stored)[number]) => boolean]> = [
      [accessScopeOfUser(ann), ({ author }) => author === ann],
      [accessScopeOfUser(bob), ({ author }) => author === bob],
      [accessScopeOfUser(bob, 'editors'), ({ author }) => author === bob],
      [inGroups(bob), ({ author, isGranted }) => author === bob || isGranted],
      [inGroups(eve), ({ isGranted }) => isGranted],
      [{ ...accessScopeOfUser(eve), followed: true }, ({ author }) => author === ann],
      [ANYBODY, () => false],
      [EVERYTHING, () => true],
    ];
    const query = (orderBy: string) =>
      parseQuery({ where: 'kind = ?', orderBy, fields: null, groupBy: null, params: ['1'] }, NOW);
    const queries = [
      { query: query('n'), inOrder: (ids: readonly string[]) => ids },
      { query: query('_creation_date desc'), inOrder: (ids: readonly string[]) => ids.toReversed() },
    ];
    const pages = queries.flatMap((one) =>
      [books, films].flatMap((at) => [0, 3].map((skip) => ({ ...one, at, skip }))),
    );

    async function ask(): Promise<void> {
      for (const [scope, isReadable] of callers) {
        for (const { query, inOrder, at, skip } of pages) {
          const readable = stored.filter((one) => one.collection === at && one.kind === 1 && isReadable(one));
          const { where, order } = query;
          const page = { collection: at, scope, where, order, after: null, skip, limit: LIMIT };
          const found = await current().documents.list(page);
          expect(found?.map(({ id }) => id)).toEqual(inOrder(readable.map(({ id }) => id)).slice(skip, skip + LIMIT));
        }
      }
    }

    await ask();
    await ask();
    const name = uuid().replaceAll('-', '_');
    await current().indexes.declare({ collection: books, paths: [['kind']], name }, 16);
    await current().indexes.reconcile();
    await ask();
    await current().indexes.remove({ collection: books }, [['kind']]);
    await current().indexes.reconcile();
    await ask();
  });
}
