import type { Path, Storage } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { addCollection, addUser, EVERYTHING, newDocument, uuid } from './fixtures.ts';

const MOST = 16;
const nameOf = () => uuid().replaceAll('-', '_');

export function indexesContract(current: () => Storage): void {
  const declare = (collection: string, path: Path, most = MOST) =>
    current().indexes.declare({ collection, path, name: nameOf() }, most);

  it('are declared once, built, listed by their paths, and removed', async () => {
    const collection = await addCollection(current(), 'Books');
    expect(await current().indexes.list(collection)).toEqual([]);
    expect(await declare(collection, ['title'])).toBe('declared');
    expect(await declare(collection, ['author', 'names', 0])).toBe('declared');
    expect(await declare(collection, ['title'])).toBe('exists');
    expect(await current().indexes.list(collection)).toEqual([
      { path: ['author', 'names', 0], state: 'building' },
      { path: ['title'], state: 'building' },
    ]);
    await current().indexes.reconcile();
    expect(await current().indexes.list(collection)).toEqual([
      { path: ['author', 'names', 0], state: 'ready' },
      { path: ['title'], state: 'ready' },
    ]);
    expect(await current().indexes.remove(collection, ['title'])).toBe(true);
    expect(await current().indexes.remove(collection, ['title'])).toBe(false);
    await current().indexes.reconcile();
    expect(await current().indexes.list(collection)).toEqual([{ path: ['author', 'names', 0], state: 'ready' }]);
  });

  it('need an existing collection, and are limited in number for each', async () => {
    const [books, films] = [await addCollection(current(), 'books'), await addCollection(current(), 'films')];
    expect(await current().indexes.list('nowhere')).toBeNull();
    expect(await declare('nowhere', ['a'])).toBeNull();
    expect(await current().indexes.remove('nowhere', ['a'])).toBeNull();
    expect(await declare(books, ['a'], 2)).toBe('declared');
    expect(await declare(books, ['b'], 2)).toBe('declared');
    expect(await declare(books, ['c'], 2)).toBe('full');
    expect(await declare(books, ['a'], 2)).toBe('exists');
    expect(await declare(films, ['c'], 2)).toBe('declared');
  });

  it('are declared once by many concurrent calls', async () => {
    const collection = await addCollection(current(), 'books');
    const answers = await Promise.all(Array.from({ length: 5 }, () => declare(collection, ['a'])));
    expect(answers.toSorted()).toEqual(['declared', 'exists', 'exists', 'exists', 'exists']);
    await Promise.all(Array.from({ length: 3 }, () => current().indexes.reconcile()));
    expect(await current().indexes.list(collection)).toEqual([{ path: ['a'], state: 'ready' }]);
  });

  it('are removed with their collection, and a new one of its name has none', async () => {
    const collection = await addCollection(current(), 'books');
    await declare(collection, ['a']);
    await current().indexes.reconcile();
    expect(await current().collections.remove(collection)).toBe(true);
    expect(await current().indexes.list(collection)).toBeNull();
    await addCollection(current(), 'books');
    expect(await current().indexes.list(collection)).toEqual([]);
    await current().indexes.reconcile();
    expect(await declare(collection, ['a'])).toBe('declared');
    await current().indexes.reconcile();
    expect(await current().indexes.list(collection)).toEqual([{ path: ['a'], state: 'ready' }]);
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
      await current().indexes.reconcile();
      const behind = newDocument(ann.id, collection, { content: `{"a":${value}}` });
      await current().documents.add(behind);
      const order = [{ path: ['a'] as const, descending: false }];
      const list = { collection, scope: EVERYTHING, where: null, order, after: null, skip: 0, limit: 10 };
      expect((await current().documents.list(list))?.map(({ id }) => id)).toEqual([before.id, behind.id]);
    });
  });
}
