import { NOBODY, type Path, type Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addCollection, added, addUser, EVERYTHING, NOW, newDocument, uuid } from './fixtures.ts';

const MOST = 16;
const DUPLICATE = { code: 'document.duplicate' };
/** Longer than the texts that other indexes store. */
const LONG = 'x'.repeat(5000);

/** Tests unique indexes. */
export function uniqueIndexesContract(current: () => Storage): void {
  const nameOf = () => uuid().replaceAll('-', '_');
  const declare = (collection: string, paths: readonly Path[], isUnique: boolean | null = true) =>
    current().indexes.declare({ collection, paths, name: nameOf(), isUnique }, MOST);

  async function prepare(...paths: readonly (readonly Path[])[]) {
    const collection = await addCollection(current(), 'Books');
    const ann = await addUser(current(), 'Ann');
    for (const one of paths) expect(await declare(collection, one)).toBe('declared');
    await current().indexes.reconcile();
    const add = async (content: unknown, to = collection) =>
      added(await current().documents.add(newDocument(ann.id, to, { content: JSON.stringify(content) })));
    const change = { by: NOBODY, updated: NOW, version: null };
    const replace = (id: string, content: unknown) =>
      current().documents.replace({ collection, id }, EVERYTHING, { ...change, content: JSON.stringify(content) });
    const edit = (id: string, content: unknown) =>
      current().documents.edit({ collection, id }, EVERYTHING, { ...change, change: () => JSON.stringify(content) });
    const count = () => current().documents.count(collection, EVERYTHING, null);
    return { collection, add, replace, edit, count };
  }

  it('refuse equal values of a path, in every kind of write', async () => {
    const { add, replace, edit, count } = await prepare([['isbn']]);
    const [one, two] = [await add({ isbn: 'a' }), await add({ isbn: 'b' })];
    await expect(add({ isbn: 'a' })).rejects.toMatchObject(DUPLICATE);
    await expect(replace(two.id, { isbn: 'a' })).rejects.toMatchObject(DUPLICATE);
    await expect(edit(two.id, { isbn: 'a' })).rejects.toMatchObject(DUPLICATE);
    expect(await replace(one.id, { isbn: 'a', n: 1 })).toMatchObject({ version: 2 });
    expect(await edit(two.id, { isbn: 'c' })).toMatchObject({ version: 2 });
    expect(await edit(one.id, { isbn: 'b' })).toMatchObject({ version: 3 });
    expect(await count()).toBe(2);
  });

  it('compare values as filters do', async () => {
    const { add, count } = await prepare([['a', 'b', 0]]);
    const values = [1, '1', true, 'true', false, '', 0, 'É', 'é', 'e\u0301', `${LONG}1`, `${LONG}2`, 0.1, 1e300];
    for (const value of values) await add({ a: { b: [value] } });
    for (const value of values) await expect(add({ a: { b: [value] } })).rejects.toMatchObject(DUPLICATE);
    for (const content of [
      {},
      { a: null },
      { a: { b: [null] } },
      { a: { b: [] } },
      { a: { b: [[1]] } },
      { a: { b: 1 } },
    ]) {
      for (let i = 0; i < 2; i++) await add(content);
    }
    expect(await count()).toBe(values.length + 12);
  });

  it('on two paths refuse equal pairs only, and are for one collection', async () => {
    const { collection, add } = await prepare([['team'], ['n']]);
    const films = await addCollection(current(), 'Films');
    for (const content of [
      { team: 'a', n: 1 },
      { team: 'a', n: 2 },
      { team: 'b', n: 1 },
    ])
      await add(content);
    await expect(add({ team: 'a', n: 2 })).rejects.toMatchObject(DUPLICATE);
    for (let i = 0; i < 2; i++) await add({ team: 'a' });
    await add({ team: 'a', n: 2 }, films);
    const unique = [[['team'], ['n']]];
    expect(await current().indexes.unique()).toEqual(new Map([[collection, unique]]));
  });

  it('let one of many concurrent writes succeed', async () => {
    const { add, replace, edit, count } = await prepare([['isbn']]);
    const others = [await add({ isbn: 1 }), await add({ isbn: 2 }), await add({})];
    const [first, second, third] = others.map(({ id }) => id);
    const results = await Promise.allSettled([
      ...Array.from({ length: 5 }, () => add({ isbn: 'x' })),
      replace(first ?? '', { isbn: 'x' }),
      edit(second ?? '', { isbn: 'x' }),
      edit(third ?? '', { isbn: 'x' }),
    ]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of results) if (one.status === 'rejected') expect(one.reason).toMatchObject(DUPLICATE);
    const where = { kind: 'compare', operator: '=', left: { kind: 'path', path: ['isbn'] } } as const;
    const right = { kind: 'constant', value: 'x', untyped: false } as const;
    expect(await current().documents.count('books', EVERYTHING, { ...where, right })).toBe(1);
    expect(await count()).toBeLessThanOrEqual(4);
  });

  it('can be added to an index and taken from it', async () => {
    const { collection, add } = await prepare();
    expect(await declare(collection, [['isbn']], null)).toBe('declared');
    await current().indexes.reconcile();
    const states = async () =>
      (await current().indexes.list({ collection }))?.map(({ state, isUnique }) => [state, isUnique]);
    expect(await states()).toEqual([['ready', false]]);
    await add({ isbn: 1 });
    expect(await declare(collection, [['isbn']])).toBe('exists');
    await current().indexes.reconcile();
    expect(await states()).toEqual([['ready', true]]);
    expect(await declare(collection, [['isbn']], null)).toBe('exists');
    await expect(add({ isbn: 1 })).rejects.toMatchObject(DUPLICATE);
    expect(await declare(collection, [['isbn']], false)).toBe('exists');
    await current().indexes.reconcile();
    await add({ isbn: 1 });
    expect(await states()).toEqual([['ready', false]]);
    await declare(collection, [['isbn']]);
    await current().indexes.reconcile();
    expect(await states()).toEqual([['ready', false]]);
    expect(await current().indexes.unique()).toEqual(new Map());
    await add({ isbn: 1 });
  });

  it('end with their removal', async () => {
    const { collection, add } = await prepare([['isbn']]);
    await add({ isbn: 1 });
    expect(await current().indexes.remove({ collection }, [['isbn']])).toBe(true);
    await current().indexes.reconcile();
    await add({ isbn: 1 });
    expect(await current().indexes.unique()).toEqual(new Map());
  });
}
