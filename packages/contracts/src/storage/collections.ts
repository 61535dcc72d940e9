import { SAMPLED_DOCUMENTS, type Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addCollection, addUser, EVERYTHING, NOW, newDocument, uuid } from './fixtures.ts';

export function collectionsContract(current: () => Storage): void {
  it('finds a collection by its key, in its original spelling', async () => {
    await addCollection(current(), 'Books');
    expect(await current().collections.findName('books')).toBe('Books');
    expect(await current().collections.findName('Books')).toBeNull();
  });

  it('creates exactly one of many concurrent collections with the same name', async () => {
    const names = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'Books' : 'bOOks'));
    const results = await Promise.all(
      names.map((name) => current().collections.add({ id: uuid(), name, created: NOW })),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
  });

  it('lists by key in code-point order, with the number of documents and the bytes of their content', async () => {
    for (const name of ['b-1', 'Ab', 'aa', 'b_1', 'B1']) await addCollection(current(), name);
    const user = await addUser(current(), 'Ann');
    for (const content of ['{"ä":1}', '{}']) await current().documents.add(newDocument(user.id, 'ab', { content }));
    expect(await current().collections.list()).toEqual([
      { name: 'aa', records: 0, size: 0 },
      { name: 'Ab', records: 2, size: 10 },
      { name: 'b-1', records: 0, size: 0 },
      { name: 'B1', records: 0, size: 0 },
      { name: 'b_1', records: 0, size: 0 },
    ]);
    expect(await current().collections.names()).toEqual(['aa', 'Ab', 'b-1', 'B1', 'b_1']);
  });

  it('returns the size of a large collection, exact or estimated from its newest documents', async () => {
    const key = await addCollection(current(), 'Large');
    const user = await addUser(current(), 'Ann');
    const [long, short] = [JSON.stringify({ text: 'é'.repeat(40) }), '{"n":1}'];
    const old = 100;
    const records = old + SAMPLED_DOCUMENTS;
    await current().transaction(async ({ documents }) => {
      for (let i = 0; i < records; i++) {
        await documents.add(newDocument(user.id, key, { content: i < old ? long : short }));
      }
    });
    const exact = old * Buffer.byteLength(long) + SAMPLED_DOCUMENTS * short.length;
    const [listed] = await current().collections.list();
    expect(listed).toMatchObject({ name: 'Large', records });
    expect([exact, records * short.length]).toContain(listed?.size);
  });

  it('is removed with its documents and their grants, and nothing else', async () => {
    const [books, films] = [await addCollection(current(), 'books'), await addCollection(current(), 'films')];
    const user = await addUser(current(), 'Ann');
    const grants = [{ principal: 'r:anonymous', rights: 1 }];
    const [book, film] = [newDocument(user.id, books, { grants }), newDocument(user.id, films, { grants })];
    await current().documents.add(book);
    await current().documents.add(film);
    expect(await current().collections.remove(books)).toBe(true);
    expect(await current().collections.remove(books)).toBe(false);
    expect(await current().documents.find({ collection: null, id: book.id }, EVERYTHING)).toBeNull();
    expect(await current().documents.count(books, EVERYTHING, null)).toBeNull();
    expect(await current().documents.count(films, EVERYTHING, null)).toBe(1);
  });
}
