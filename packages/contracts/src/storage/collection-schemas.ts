import type { Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addCollection } from './fixtures.ts';

const FIRST = { version: 'one', content: '{"type":"object"}' };
const SECOND = { version: 'two', content: '{"title":"ä"}' };

export function collectionSchemasContract(current: () => Storage): void {
  it('stores, replaces and removes the schema of a collection', async () => {
    const [books, films] = [await addCollection(current(), 'Books'), await addCollection(current(), 'films')];
    const { collections } = current();
    expect([await collections.schema(books), (await collections.schemaVersions()).size]).toEqual([null, 0]);
    expect(await collections.setSchema(books, FIRST)).toBe(true);
    expect(await collections.setSchema(films, FIRST)).toBe(true);
    expect(await collections.setSchema(books, SECOND)).toBe(true);
    expect(await collections.schema(books)).toEqual(SECOND);
    expect(Object.fromEntries(await collections.schemaVersions())).toEqual({ books: 'two', films: 'one' });
    expect(await collections.removeSchema(films)).toBe(true);
    expect(await collections.removeSchema(films)).toBe(false);
    expect(Object.fromEntries(await collections.schemaVersions())).toEqual({ books: 'two' });
  });

  it('stores no schema of a collection that does not exist, and removes it with its collection', async () => {
    const { collections } = current();
    expect(await collections.setSchema('nothing', FIRST)).toBe(false);
    const books = await addCollection(current(), 'books');
    await collections.setSchema(books, FIRST);
    await collections.remove(books);
    await addCollection(current(), 'books');
    expect([await collections.schema(books), (await collections.schemaVersions()).size]).toEqual([null, 0]);
  });
}
