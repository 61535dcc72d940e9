import {
  createScore,
  type DocumentRecord,
  documentResolver,
  type FullTextSearch,
  isAppError,
  NOBODY,
  type OrderKey,
  parseSearchText,
  type SearchField,
  type SearchIndex,
  type Storage,
} from '@baobab/core';
import { expect, it } from 'vitest';
import { accessScopeOfUser, addCollection, added, addUser, EVERYTHING, NOW, newDocument } from './fixtures.ts';

const FIELDS: readonly SearchField[] = [
  { path: ['title'], weight: 3 },
  { path: ['text'], weight: 1 },
];

/** True if the storage refuses search indexes: documents are spread over several servers. */
async function isRefused(storage: Storage): Promise<boolean> {
  const collection = await addCollection(storage, 'Probe');
  try {
    await storage.searchIndexes.declare(collection, FIELDS);
    return false;
  } catch (error) {
    if (isAppError(error) && error.code === 'search.unsupported') return true;
    throw error;
  }
}

/** Returns the search that a storage receives. */
const searchFor = (index: SearchIndex, text: string): FullTextSearch => ({ index, text: parseSearchText(text) });

/** Tests full-text search. */
export function fullTextContract(current: () => Storage): void {
  async function prepare() {
    const storage = current();
    const collection = await addCollection(storage, 'Notes');
    const ann = await addUser(storage, 'Ann');
    let index: SearchIndex | undefined;
    const add = async (content: unknown, by = ann) =>
      added(
        await storage.documents.add(
          newDocument(by.id, collection, { content: JSON.stringify(content), search: index }),
        ),
      );
    const declare = async (fields = FIELDS) => {
      const declared = await storage.searchIndexes.declare(collection, fields);
      await storage.indexes.reconcile();
      index = (await storage.searchIndexes.find(collection)) ?? undefined;
      expect(index).toMatchObject({ number: declared?.number, fields, state: 'ready' });
    };
    /** Returns the found documents, best first, with their scores. */
    async function search(text: string, { scope = EVERYTHING, ...paging }: Partial<Paging> = {}) {
      if (index === undefined) throw new Error('no search index');
      const wanted = searchFor(index, text);
      const where = { kind: 'fullText', search: wanted } as const;
      const order: readonly OrderKey[] = [{ path: ['_score'], descending: true, score: wanted }];
      const list = { collection, scope, where, order, after: null, skip: 0, limit: 100, ...paging };
      const found = (await storage.documents.list(list)) ?? [];
      expect(await storage.documents.count(collection, scope, where)).toBeGreaterThanOrEqual(found.length);
      const score = createScore(wanted);
      return found.map((document) => ({ document, score: score(documentResolver(document)) }));
    }
    const titles = async (text: string, paging: Partial<Paging> = {}) =>
      (await search(text, paging)).map(({ document }) => JSON.parse(document.content).title);
    return { storage, collection, ann, add, declare, search, titles };
  }
  type Paging = Pick<Parameters<Storage['documents']['list']>[0], 'scope' | 'after' | 'skip' | 'limit'>;

  const whereSupported = (name: string, test: () => Promise<void>) =>
    it(name, async () => {
      if (!(await isRefused(current()))) await test();
    });

  whereSupported('find words, prefixes and phrases, without case and diacritics', async () => {
    const { add, declare, titles } = await prepare();
    await declare();
    await add({ title: 'Milk and Brötchen', text: 'fresh butter from the market' });
    await add({ title: 'BREAD', text: 'milk; bread "brown"' });
    await add({ title: '牛乳を飲む', text: 'ミルク' });
    await add({ title: 'none', other: 'milk' });
    expect(await titles('milk')).toEqual(['Milk and Brötchen', 'BREAD']);
    expect(await titles('MILK brotchen')).toEqual(['Milk and Brötchen']);
    expect(await titles('bro*')).toEqual(['Milk and Brötchen', 'BREAD']);
    expect(await titles('milk -butter')).toEqual(['BREAD']);
    expect(await titles('"milk bread"')).toEqual(['BREAD']);
    expect(await titles('"bread milk"')).toEqual([]);
    expect(await titles('牛乳')).toEqual(['牛乳を飲む']);
    expect(await titles('乳牛')).toEqual([]);
    expect(await titles('ミルク')).toEqual(['牛乳を飲む']);
    expect(await titles('mil')).toEqual([]);
  });

  whereSupported('score by weights and hits in the document alone, then sort by id', async () => {
    const { add, declare, search, storage, collection } = await prepare();
    await declare();
    const one = await add({ title: 'a milk', text: 'milk milk' });
    const two = await add({ title: 'b', text: 'milk milk milk milk milk' });
    const three = await add({ title: 'c', text: 'milk' });
    const shown = async () => (await search('milk')).map(({ document: { id }, score }) => [id, score]);
    expect(await shown()).toEqual([
      [one.id, 5],
      [two.id, 5],
      [three.id, 1],
    ]);
    for (let i = 0; i < 20; i++) await add({ title: 'rare', text: 'milky' });
    expect(await shown()).toHaveLength(3);
    const [first, ...others] = await search('milk');
    const after = { keys: [first?.score ?? null], id: first?.document.id ?? '' };
    expect((await search('milk', { after })).map(({ document }) => document.id)).toEqual(
      others.map(({ document }) => document.id),
    );
    expect((await search('milk', { skip: 1, limit: 1 })).map(({ document }) => document.id)).toEqual([two.id]);
    expect(await storage.documents.remove({ collection, id: one.id }, EVERYTHING)).toBe('removed');
    expect((await shown()).map(([id]) => id)).toEqual([two.id, three.id]);
  });

  whereSupported('follow every kind of write, in and out of transactions', async () => {
    const { storage, collection, ann, add, declare, titles } = await prepare();
    const before = await add({ title: 'before', text: 'old milk' });
    await declare();
    const search = (await storage.searchIndexes.find(collection)) ?? undefined;
    expect(await titles('old')).toEqual(['before']);
    const change = { by: NOBODY, updated: NOW, version: null, search };
    const place = { collection, id: before.id };
    await storage.documents.replace(place, EVERYTHING, {
      ...change,
      content: '{"title":"replaced","text":"new milk"}',
    });
    expect([await titles('old'), await titles('new')]).toEqual([[], ['replaced']]);
    await storage.documents.edit(place, EVERYTHING, { ...change, change: () => '{"title":"edited","text":"edited"}' });
    expect([await titles('new'), await titles('edited')]).toEqual([[], ['edited']]);
    const inside = newDocument(ann.id, collection, { content: '{"title":"inside"}', search });
    const undone = storage.transaction(async (stores) => {
      await stores.documents.add(inside);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await titles('inside')).toEqual([]);
    await storage.transaction((stores) => stores.documents.add(inside));
    expect(await titles('inside')).toEqual(['inside']);
    await storage.documents.remove(place, EVERYTHING);
    expect(await titles('edited')).toEqual([]);
  });

  whereSupported('find only documents that the caller may read', async () => {
    const { storage, collection, ann, add, declare, titles } = await prepare();
    await declare();
    const bob = await addUser(storage, 'Bob');
    await add({ title: 'of Ann', text: 'milk' });
    await add({ title: 'of Bob', text: 'milk milk' }, bob);
    const index = await storage.searchIndexes.find(collection);
    if (index === null) throw new Error('no search index');
    const where = { kind: 'fullText', search: searchFor(index, 'milk') } as const;
    const scope = accessScopeOfUser(ann.id);
    expect(await titles('milk', { scope })).toEqual(['of Ann']);
    expect(await storage.documents.count(collection, scope, where)).toBe(1);
    const count = { kind: 'aggregate', name: 'count', path: null, as: 'n' } as const;
    const summary = { collection, scope, where, groupBy: [], aggregates: [count], order: [], skip: 0, limit: 1 };
    expect(await storage.documents.summarize(summary)).toEqual([[1]]);
    expect(await storage.documents.summarize({ ...summary, scope: EVERYTHING })).toEqual([[2]]);
  });

  whereSupported('change the fields, remove the index, and declare it again', async () => {
    const { storage, collection, add, declare, titles } = await prepare();
    const documents: DocumentRecord[] = [];
    for (let i = 0; i < 250; i++) documents.push(await add({ title: `t${i}`, text: 'milk', more: 'bread' }));
    await declare();
    expect(await titles('milk', { limit: 300 })).toHaveLength(250);
    const again = await storage.searchIndexes.declare(collection, FIELDS);
    expect(again?.state).toBe('ready');
    await declare([{ path: ['more'], weight: 1 }]);
    expect([await titles('milk'), (await titles('bread', { limit: 300 })).length]).toEqual([[], 250]);
    expect(await storage.searchIndexes.remove(collection)).toBe(true);
    expect(await storage.searchIndexes.remove(collection)).toBe(false);
    expect([await storage.searchIndexes.find(collection), (await storage.searchIndexes.all()).has(collection)]).toEqual(
      [null, false],
    );
    await storage.indexes.reconcile();
    await declare();
    expect(await titles('milk', { limit: 300 })).toHaveLength(250);
    expect(await storage.collections.remove(collection)).toBe(true);
    expect(await storage.searchIndexes.find(collection)).toBeNull();
  });

  it('know no index of an unknown collection', async () => {
    const { searchIndexes } = current();
    expect(await searchIndexes.find('none')).toBeNull();
    expect(await searchIndexes.remove('none')).toBe(false);
    expect((await searchIndexes.all()).size).toBe(0);
  });
}
