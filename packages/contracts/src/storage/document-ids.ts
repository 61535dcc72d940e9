import { NOBODY, RIGHTS, type Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addCollection, addUser, EVERYTHING, NOW, newDocument, uuid } from './fixtures.ts';
import { finishRemovals } from './maintenance.ts';

const AT_ONCE = 8;

/** Tests documents with ids that clients chose. */
export function documentIdsContract(current: () => Storage): void {
  async function prepare() {
    const [books, films] = [await addCollection(current(), 'Books'), await addCollection(current(), 'Films')];
    const ann = await addUser(current(), 'Ann');
    const own = (collection: string, id = uuid()) => ({ ...newDocument(ann.id, collection, { id }), isOwnId: true });
    const add = (collection: string, id: string) => current().documents.add(own(collection, id));
    const at = (id: string) => ({ collection: null, id });
    const change = { content: '{"b":2}', by: NOBODY, updated: NOW, version: null };
    const collectionOf = async (id: string) => (await current().documents.find(at(id), EVERYTHING))?.collection;
    return { books, films, ann, own, add, at, change, collectionOf };
  }

  it('are stored as given, each for one document in all collections', async () => {
    const { books, films, ann, own, add } = await prepare();
    const document = own(books);
    expect(await current().documents.add(document)).toMatchObject({ id: document.id, version: 1 });
    const ofServer = newDocument(ann.id, books);
    await current().documents.add(ofServer);
    for (const id of [document.id, ofServer.id]) {
      for (const collection of [books, films]) expect(await add(collection, id)).toBe('taken');
    }
    const grants = [{ principal: 'r:anonymous', rights: RIGHTS.read }];
    const granted = { ...own(films), grants };
    await current().documents.add(granted);
    expect(await current().documents.grantsOn(granted.id)).toMatchObject([{ name: 'anonymous' }]);
    expect(await current().documents.add(granted)).toBe('taken');
    expect(await current().documents.count(films, EVERYTHING, null)).toBe(1);
    expect(await current().documents.count(books, EVERYTHING, null)).toBe(2);
  });

  it('are not given again after the document was removed', async () => {
    const { books, films, ann, add, at } = await prepare();
    const [own, ofServer] = [uuid(), newDocument(ann.id, films)];
    await add(books, own);
    await current().documents.add(ofServer);
    for (const id of [own, ofServer.id]) {
      expect(await current().documents.remove(at(id), EVERYTHING)).toBe('removed');
      for (const collection of [books, films]) expect(await add(collection, id)).toBe('taken');
    }
  });

  it('go to one of many concurrent calls', async () => {
    const { books, films, add, collectionOf } = await prepare();
    for (let round = 0; round < 3; round++) {
      const id = uuid();
      const calls = Array.from({ length: AT_ONCE }, (_, i) => add(i % 2 === 0 ? books : films, id));
      const winners = (await Promise.all(calls)).filter((added) => added !== 'taken');
      expect(winners).toHaveLength(1);
      expect(winners).toMatchObject([{ collection: await collectionOf(id) }]);
    }
  });

  it('that are taken do not end a transaction', async () => {
    const { books, films, own, add, collectionOf } = await prepare();
    const [taken, next] = [uuid(), uuid()];
    await add(books, taken);
    await current().transaction(async (stores) => {
      expect(await stores.documents.add(own(films, taken))).toBe('taken');
      await stores.documents.add(own(films, next));
      expect(await stores.documents.add(own(books, next))).toBe('taken');
    });
    expect([await collectionOf(taken), await collectionOf(next)]).toEqual(['Books', 'Films']);
    expect(await add(books, next)).toBe('taken');
  });

  it('of documents that were never committed, or whose collection was removed, find a new document elsewhere', async () => {
    const { books, films, own, add, at, change, collectionOf } = await prepare();
    const [undone, removed] = [uuid(), uuid()];
    const failure = new Error('undone');
    const failing = current().transaction(async (stores) => {
      await stores.documents.add(own(books, undone));
      await stores.documents.replace(at(undone), EVERYTHING, change);
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    await add(books, removed);
    expect(await current().documents.locate(removed)).toBe(books);
    await current().documents.replace(at(removed), EVERYTHING, change);
    await current().collections.remove(books);
    await finishRemovals(current(), 100);
    for (const id of [undone, removed]) {
      await add(films, id);
      expect(await current().documents.locate(id)).toBe(films);
      expect(await current().documents.replace(at(id), EVERYTHING, change)).toMatchObject({ collection: 'Films' });
      const grant = { principal: 'r:anonymous', rights: RIGHTS.read };
      expect(await current().documents.grant(at(id), EVERYTHING, grant)).toBe('granted');
      expect(await current().documents.grantsOn(id)).toHaveLength(1);
      expect(await collectionOf(id)).toBe('Films');
      expect(await current().documents.remove(at(id), EVERYTHING)).toBe('removed');
    }
  });
}
