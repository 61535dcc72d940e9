import {
  authorAudience,
  EVERYBODY,
  type FeedPlace,
  MAX_MARKS,
  type NewDocument,
  NOBODY,
  RIGHTS,
  rolePrincipal,
  type Storage,
  userPrincipal,
} from '@baobab/core';
import { beforeEach, expect, it } from 'vitest';
import { BEGINNING, caughtUp, marksOf, now, readEntries } from './feed-reading.ts';
import { addCollection, addUser, EVERYTHING, NOW, newDocument } from './fixtures.ts';

/** Tests reading the change feed on behalf of many users. */
export function feedEntriesContract(current: () => Storage): void {
  let books: string;
  let films: string;
  let [ann, bob] = ['', ''];
  let before: FeedPlace = BEGINNING;
  const address = ({ collection, id }: Pick<NewDocument, 'collection' | 'id'>) => ({ collection, id });

  async function write(overrides: Partial<NewDocument> = {}): Promise<NewDocument> {
    const document = newDocument(ann, books, overrides);
    await current().documents.add(document);
    return document;
  }
  const news = () => readEntries(current(), before);

  beforeEach(async () => {
    books = await addCollection(current(), 'Books');
    films = await addCollection(current(), 'Films');
    ann = (await addUser(current(), 'Ann')).id;
    bob = (await addUser(current(), 'Bob')).id;
    before = await now(current());
  });

  it('contain each changed document with its readers', async () => {
    const grants = [
      { principal: userPrincipal(bob), rights: RIGHTS.read },
      { principal: rolePrincipal('editors'), rights: RIGHTS.all },
      { principal: rolePrincipal('anonymous'), rights: RIGHTS.update },
    ];
    const [book, film] = [await write({ grants }), await write({ collection: films, authorId: bob })];
    const [one, two, ...rest] = await news();
    expect(rest).toEqual([]);
    expect(one).toMatchObject({
      id: book.id,
      collectionKey: 'books',
      collection: 'Books',
      isChanged: true,
      access: [],
    });
    expect(one?.document).toMatchObject({ id: book.id, author: 'Ann', version: 1, content: '{"a":1}' });
    const readers = [EVERYBODY, authorAudience(ann), userPrincipal(bob), rolePrincipal('editors')].sort();
    expect(one?.readers.toSorted()).toEqual(readers);
    expect(two).toMatchObject({ id: film.id, collectionKey: 'films', isChanged: true, access: [] });
    expect(two?.readers.toSorted()).toEqual([EVERYBODY, authorAudience(bob)].sort());
  });

  it('contain grants, with the audiences that gained or lost the document', async () => {
    const document = await write({ grants: [{ principal: userPrincipal(bob), rights: RIGHTS.read }] });
    before = await now(current());
    const editors = { principal: rolePrincipal('editors'), rights: RIGHTS.read };
    await current().documents.grant(address(document), EVERYTHING, editors);
    const [granted] = await news();
    expect(granted).toMatchObject({ id: document.id, isChanged: false, access: [editors.principal] });
    expect(granted?.document).toMatchObject({ id: document.id });
    expect(granted?.readers).toContain(editors.principal);
    before = await now(current());
    const revoked = { principal: userPrincipal(bob), action: 'read' } as const;
    await current().documents.revoke(address(document), EVERYTHING, revoked);
    const [taken, ...rest] = await news();
    expect(rest).toEqual([]);
    expect(taken?.readers.toSorted()).toEqual([EVERYBODY, authorAudience(ann), editors.principal].sort());
    expect(taken?.access).toEqual([userPrincipal(bob)]);
  });

  it('contain removed documents, with everybody who could read them', async () => {
    const document = await write({ grants: [{ principal: userPrincipal(bob), rights: RIGHTS.read }] });
    before = await now(current());
    await current().documents.remove(address(document), EVERYTHING);
    const [entry, ...rest] = await news();
    expect(rest).toEqual([]);
    expect(entry).toMatchObject({ id: document.id, collectionKey: 'books', document: null, readers: [] });
    expect(entry?.access.toSorted()).toEqual([EVERYBODY, authorAudience(ann), userPrincipal(bob)].sort());
  });

  it('contain a document at its own place and at that of each grant, for whoever goes on between them', async () => {
    const document = await write();
    const { id } = document;
    const editors = { principal: rolePrincipal('editors'), rights: RIGHTS.read };
    await current().documents.grant(address(document), EVERYTHING, editors);
    await current().documents.grant(address(document), EVERYTHING, {
      principal: userPrincipal(bob),
      rights: RIGHTS.all,
    });
    expect(await news()).toMatchObject([
      { id, isChanged: true, document: { version: 1 }, access: [] },
      { id, isChanged: false, document: { version: 1 }, access: [editors.principal] },
      { id, isChanged: false, document: { version: 1 }, access: [userPrincipal(bob)] },
    ]);
  });

  it('contain a newer state of a document at its own place only', async () => {
    const document = await write();
    const { id } = document;
    const editors = { principal: rolePrincipal('editors'), rights: RIGHTS.read };
    await current().documents.grant(address(document), EVERYTHING, editors);
    const change = { content: '{"a":2}', by: NOBODY, updated: NOW, version: null };
    await current().documents.replace(address(document), EVERYTHING, change);
    const entries = await news();
    expect(entries).toMatchObject([
      { id, isChanged: false, document: null, access: [editors.principal] },
      { id, isChanged: true, document: { version: 2 }, access: [] },
    ]);
    expect(entries[0]?.readers.toSorted()).toEqual([EVERYBODY, authorAudience(ann), editors.principal].sort());
  });

  it('come in batches of any size, in order', async () => {
    const documents: NewDocument[] = [];
    for (let i = 0; i < 6; i++) documents.push(await write({ collection: i % 2 === 0 ? books : films }));
    for (const [i, document] of documents.entries()) {
      if (i % 3 === 0) await current().documents.remove(address(document), EVERYTHING);
    }
    const all = await news();
    expect(all.map(({ id }) => id)).toEqual([1, 2, 4, 5, 0, 3].map((i) => documents[i]?.id));
    for (const limit of [1, 2, 4, 6]) {
      const batches = await readEntries(current(), before, limit);
      expect(batches).toEqual(all);
    }
  });

  it('end a batch by its bytes, but not before its second entry', async () => {
    for (let i = 0; i < 4; i++) await write({ content: JSON.stringify({ text: 'x'.repeat(1_000) }) });
    await caughtUp(current());
    const batch = await current().changes.readAll({ after: before, limit: 10, maxBytes: 1 });
    expect([batch.entries.length, batch.more]).toEqual([2, true]);
    const rest = await current().changes.readAll({ after: batch.next, limit: 10 });
    expect([rest.entries.length, rest.more]).toEqual([2, false]);
  });

  it('come with all marks that are stored, because the contents may already follow from them', async () => {
    await write();
    const mark = { audience: userPrincipal(bob), collection: null, reason: 'follow' } as const;
    await current().changes.markVisibility([mark], NOW);
    await write();
    await caughtUp(current());
    const first = await current().changes.readAll({ after: before, limit: 1 });
    expect(marksOf(first.visibility)).toMatchObject([mark]);
    const second = await current().changes.readAll({ after: first.next, limit: 10 });
    expect(second.entries).toHaveLength(1);
    expect(marksOf(second.visibility)).toMatchObject([mark]);
    const third = await current().changes.readAll({ after: second.next, limit: 10 });
    expect(third).toMatchObject({ entries: [], visibility: [], more: false });
  });

  it('come without marks when those are too many', async () => {
    await current().transaction(async (stores) => {
      for (let i = 0; i <= MAX_MARKS; i++) {
        await stores.changes.markVisibility(
          [{ audience: userPrincipal(`${i}`), collection: null, reason: 'role' }],
          NOW,
        );
      }
    });
    await caughtUp(current());
    expect(await current().changes.readAll({ after: before, limit: 10 })).toMatchObject({
      visibility: null,
      more: false,
    });
  });
}
