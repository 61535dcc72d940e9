import { INDEXED_LISTS, type IndexedList, type Path, type Storage } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { addCollection, addUser, EVERYTHING, NOW, newDocument, newFile, uuid } from './fixtures.ts';

const MOST = 16;
/** Returns texts of four-byte characters, dissimilar enough that no database can compress them. */
const hardlyAlike = (at: number) =>
  String.fromCodePoint(...Array.from({ length: 300 }, (_, i) => 0x20000 + (((i + 300 * at) * 7919) % 40_000)));
const nameOf = () => uuid().replaceAll('-', '_');

export function indexesContract(current: () => Storage): void {
  const declareOn = (collection: string, paths: readonly Path[], most = MOST) =>
    current().indexes.declare({ collection, paths, name: nameOf() }, most);
  const declare = (collection: string, path: Path, most = MOST) => declareOn(collection, [path], most);

  it('are declared once, built, listed by their paths, and removed', async () => {
    const collection = await addCollection(current(), 'Books');
    expect(await current().indexes.list({ collection })).toMatchObject([]);
    expect(await declare(collection, ['title'])).toBe('declared');
    expect(await declare(collection, ['author', 'names', 0])).toBe('declared');
    expect(await declare(collection, ['title'])).toBe('exists');
    expect(await current().indexes.list({ collection })).toMatchObject([
      { paths: [['author', 'names', 0]], state: 'building' },
      { paths: [['title']], state: 'building' },
    ]);
    await current().indexes.reconcile();
    expect(await current().indexes.list({ collection })).toMatchObject([
      { paths: [['author', 'names', 0]], state: 'ready' },
      { paths: [['title']], state: 'ready' },
    ]);
    expect(await current().indexes.remove({ collection }, [['title']])).toBe(true);
    expect(await current().indexes.remove({ collection }, [['title']])).toBe(false);
    await current().indexes.reconcile();
    expect(await current().indexes.list({ collection })).toMatchObject([
      { paths: [['author', 'names', 0]], state: 'ready' },
    ]);
  });

  it('are on several paths, each list of them another index', async () => {
    const collection = await addCollection(current(), 'books');
    const [byBoth, byOther, byAge] = [
      [['genre'], ['price', 0]],
      [['price', 0], ['genre']],
      [['genre'], ['_creation_date']],
    ] as const;
    expect(await declareOn(collection, byBoth)).toBe('declared');
    expect(await declareOn(collection, byBoth)).toBe('exists');
    for (const paths of [byOther, byAge, [['genre']] as const]) {
      expect(await declareOn(collection, paths)).toBe('declared');
    }
    await current().indexes.reconcile();
    expect(await current().indexes.list({ collection })).toMatchObject([
      { paths: [['genre']], state: 'ready' },
      { paths: byAge, state: 'ready' },
      { paths: byBoth, state: 'ready' },
      { paths: byOther, state: 'ready' },
    ]);
    expect(await current().indexes.remove({ collection }, byBoth)).toBe(true);
    expect(await current().indexes.remove({ collection }, byBoth)).toBe(false);
    await current().indexes.reconcile();
    expect(await current().indexes.list({ collection })).toHaveLength(3);
  });

  it('need an existing collection, and are limited in number for each', async () => {
    const [books, films] = [await addCollection(current(), 'books'), await addCollection(current(), 'films')];
    expect(await current().indexes.list({ collection: 'nowhere' })).toBeNull();
    expect(await declare('nowhere', ['a'])).toBeNull();
    expect(await current().indexes.remove({ collection: 'nowhere' }, [['a']])).toBeNull();
    expect(await declare(books, ['a'], 2)).toBe('declared');
    expect(await declare(books, ['b'], 2)).toBe('declared');
    expect(await declare(books, ['c'], 2)).toBe('full');
    expect(await declare(books, ['a'], 2)).toBe('exists');
    expect(await declare(films, ['c'], 2)).toBe('declared');
  });

  it('are on users, files and assets too, apart from those of collections', async () => {
    const collection = await addCollection(current(), 'users');
    const on = (list: IndexedList, paths: readonly Path[], most = MOST) =>
      current().indexes.declare({ list, paths, name: nameOf() }, most);
    for (const list of INDEXED_LISTS) expect(await current().indexes.list({ list })).toMatchObject([]);
    const paths = [
      ['user', 'status'],
      ['visibleByFriend', 'address', 'lines', 0],
    ] as const;
    expect(await on('users', paths)).toBe('declared');
    expect(await on('users', paths)).toBe('exists');
    expect(await on('users', [['user', 'name']], 1)).toBe('full');
    expect(await on('users', [['user', 'name']], 2)).toBe('declared');
    expect(await on('files', [['attachedData', 'a'], ['contentLength']], 1)).toBe('declared');
    expect(await on('assets', [['name']], 1)).toBe('declared');
    expect(await current().indexes.list({ list: 'assets' })).toMatchObject([{ paths: [['name']], state: 'building' }]);
    await Promise.all([current().indexes.reconcile(), current().indexes.reconcile()]);
    expect(await current().indexes.list({ list: 'users' })).toMatchObject([
      { paths: [['user', 'name']], state: 'ready' },
      { paths, state: 'ready' },
    ]);
    expect(await current().indexes.list({ collection })).toMatchObject([]);
    expect(await current().indexes.remove({ list: 'files' }, [['contentLength']])).toBe(false);
    expect(await current().indexes.remove({ list: 'users' }, paths)).toBe(true);
    expect(await current().indexes.remove({ list: 'users' }, paths)).toBe(false);
    await current().indexes.reconcile();
    expect(await current().indexes.list({ list: 'users' })).toMatchObject([
      { paths: [['user', 'name']], state: 'ready' },
    ]);
  });

  it('of users, files and assets do not prevent any value from being stored', async () => {
    const [made, other] = [1, 2].map((at) => JSON.stringify({ a: hardlyAlike(at), b: hardlyAlike(at + 1) }));
    const ann = await addUser(current(), 'Ann');
    const both = (first: string): readonly Path[] => [
      [first, 'a'],
      [first, 'b'],
    ];
    const sets = [
      ['users', both('visibleByTheUser')],
      ['files', both('attachedData')],
      ['assets', both('meta')],
    ] as const;
    for (const [list, paths] of sets) await current().indexes.declare({ list, paths, name: nameOf() }, MOST);
    await current().indexes.reconcile();
    for (const [i, data = ''] of [made, other, '{"a":5e-324,"b":[1]}', '{"a":"\\u0001","b":1e300}'].entries()) {
      await current().users.update(ann.id, { sections: { visibleByTheUser: data } });
      await current().files.add(newFile(ann.id, { attachedData: data }));
      const asset = { id: uuid(), name: `asset${i}`, authorId: ann.id, created: NOW, meta: data, file: null };
      expect(await current().assets.add(asset)).toBe(true);
    }
    const order = [{ path: ['meta', 'a'] as const, descending: false }];
    const list = { where: null, order, after: null, skip: 0, limit: 10 };
    expect(await current().assets.list(list)).toHaveLength(4);
    expect(await current().files.count({ scope: EVERYTHING, where: null })).toBe(4);
  });

  it('are declared once by many concurrent calls', async () => {
    const collection = await addCollection(current(), 'books');
    const answers = await Promise.all(Array.from({ length: 5 }, () => declare(collection, ['a'])));
    expect(answers.toSorted()).toEqual(['declared', 'exists', 'exists', 'exists', 'exists']);
    await Promise.all(Array.from({ length: 3 }, () => current().indexes.reconcile()));
    expect(await current().indexes.list({ collection })).toMatchObject([{ paths: [['a']], state: 'ready' }]);
  });

  it('are removed with their collection, and a new one of its name has none', async () => {
    const collection = await addCollection(current(), 'books');
    await declare(collection, ['a']);
    await current().indexes.reconcile();
    expect(await current().collections.remove(collection)).toBe(true);
    expect(await current().indexes.list({ collection })).toBeNull();
    await addCollection(current(), 'books');
    expect(await current().indexes.list({ collection })).toMatchObject([]);
    await current().indexes.reconcile();
    expect(await declare(collection, ['a'])).toBe('declared');
    await current().indexes.reconcile();
    expect(await current().indexes.list({ collection })).toMatchObject([{ paths: [['a']], state: 'ready' }]);
  });

  it('serve searches of an existing collection only, and of the one that now has its name', async () => {
    const ann = await addUser(current(), 'Ann');
    const order = [{ path: ['a'] as const, descending: false }];
    const search = { scope: EVERYTHING, where: null, order, after: null, skip: 0, limit: 10 };
    const found = async () =>
      (await current().documents.list({ collection: 'books', ...search }))?.map(({ content }) => content) ?? null;
    for (const content of ['{"a":1}', '{"a":2}']) {
      expect(await found()).toBeNull();
      const collection = await addCollection(current(), 'books');
      await declare(collection, ['a']);
      await current().indexes.reconcile();
      expect(await found()).toEqual([]);
      await current().documents.add(newDocument(ann.id, collection, { content }));
      expect(await found()).toEqual([content]);
      expect(await current().collections.remove(collection)).toBe(true);
    }
    expect(await found()).toBeNull();
  });

  it('on two paths do not prevent long texts from being stored', async () => {
    const collection = await addCollection(current(), 'books');
    const ann = await addUser(current(), 'Ann');
    const content = (at: number) => JSON.stringify({ a: hardlyAlike(at), b: hardlyAlike(at + 1) });
    await current().documents.add(newDocument(ann.id, collection, { content: content(1) }));
    await declareOn(collection, [['a'], ['b'], ['_creation_date']]);
    await current().indexes.reconcile();
    await current().documents.add(newDocument(ann.id, collection, { content: content(3) }));
    expect(await current().indexes.list({ collection })).toMatchObject([{ state: 'ready' }]);
    expect(await current().documents.count(collection, EVERYTHING, null)).toBe(2);
  });

  describe('do not prevent any value from being stored', () => {
    const odd = [
      'null',
      'true',
      '1.5',
      '1e300',
      '5e-324',
      '[1]',
      '{"a":1}',
      '""',
      '"\\u0001"',
      JSON.stringify('\u{10ffff}'),
    ];
    const long = JSON.stringify('😀'.repeat(100_000));

    it.each([...odd, long])('%.20s', async (value) => {
      const collection = await addCollection(current(), 'books');
      const ann = await addUser(current(), 'Ann');
      const before = newDocument(ann.id, collection, { content: `{"a":${value}}` });
      await current().documents.add(before);
      await declare(collection, ['a']);
      await declareOn(collection, [['a'], ['b'], ['_creation_date']]);
      await current().indexes.reconcile();
      const behind = newDocument(ann.id, collection, { content: `{"a":${value}}` });
      await current().documents.add(behind);
      const order = [{ path: ['a'] as const, descending: false }];
      const list = { collection, scope: EVERYTHING, where: null, order, after: null, skip: 0, limit: 10 };
      expect((await current().documents.list(list))?.map(({ id }) => id)).toEqual([before.id, behind.id]);
    });
  });
}
