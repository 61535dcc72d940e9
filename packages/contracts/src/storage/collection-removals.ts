import { type NewDocument, NOBODY, RIGHTS, type Storage, userPrincipal } from '@baobab/core';
import { beforeEach, expect, it } from 'vitest';
import { addressOf, createFeedCase } from './feed-case.ts';
import { now, readEntries } from './feed-reading.ts';
import { accessScopeOfUser, addCollection, EVERYTHING, NOW, newDocument, UNSORTED, uuid } from './fixtures.ts';
import { finishRemovals, maintain } from './maintenance.ts';

const PART = 5;
/** A filter that every document matches. */
const HAS_NO_TITLE = { kind: 'null', operand: { kind: 'path', path: ['title'] } } as const;

/** Removal of a collection in parts. */
export function collectionRemovalsContract(current: () => Storage): void {
  const feed = createFeedCase(current);
  const collections = () => current().collections;
  const readBy = (user: string) => ({ principal: userPrincipal(user), rights: RIGHTS.read });
  let some: NewDocument[];
  let kept: NewDocument;
  beforeEach(async () => {
    some = [];
    for (let i = 0; i < 12; i++) {
      some.push(await feed.write({ authorId: feed.ann, grants: i < 3 ? [readBy(feed.bob)] : [] }));
    }
    kept = await feed.write({ collection: feed.films, grants: [readBy(feed.bob)] });
  });

  const begin = () => collections().remove(feed.books);
  const finish = () => finishRemovals(current(), PART);
  /** Counts also documents that nobody can find any more. */
  const documentsOf = async (author: string) => (await current().users.belongings(author, 1_000)).documents;

  const listOf = (collection: string) => ({
    collection,
    scope: EVERYTHING,
    ...UNSORTED,
    after: null,
    skip: 0,
    limit: 100,
  });
  /** Returns the ids in a list. Lists and totals, with and without a filter, must agree. */
  async function idsIn(collection: string): Promise<string[] | null> {
    const { documents } = current();
    const list = listOf(collection);
    const ids = (await documents.list(list))?.map(({ id }) => id) ?? null;
    for (const where of [null, HAS_NO_TITLE]) {
      expect((await documents.list({ ...list, where }))?.map(({ id }) => id) ?? null).toEqual(ids);
      expect(await documents.count(collection, EVERYTHING, where)).toBe(ids?.length ?? null);
    }
    return ids;
  }

  it('begins with hiding the collection and its documents from everybody', async () => {
    const [document] = some;
    if (document === undefined) throw new Error('there are no documents');
    const { id } = document;
    await current().indexes.declare({ collection: feed.books, paths: [['title']], name: 'title' }, 10);
    await current().roles.add({ name: 'Editors', description: '' });
    await collections().setRules(feed.books, { read: [{ role: 'editors', condition: null }] });
    await collections().setSchema(feed.books, { version: uuid(), content: '{}' });
    // Makes any cached data of the collection as fresh as possible.
    expect(await idsIn(feed.books)).toHaveLength(12);
    expect(await begin()).toBe(true);
    for (const key of [feed.books, 'missing']) expect(await collections().remove(key)).toBe(false);

    const films = { name: 'Films', records: 1, size: Buffer.byteLength(kept.content) };
    expect(await collections().findName(feed.books)).toBeNull();
    expect(await collections().names()).toEqual(['Films']);
    expect(await collections().list()).toEqual([films]);
    expect([(await collections().rules()).size, (await collections().schemaVersions()).size]).toEqual([0, 0]);
    expect(await collections().schema(feed.books)).toBeNull();
    expect(await current().indexes.list({ collection: feed.books })).toBeNull();
    const statistics = await current().statistics.measure({ activeSince: 0, createdSince: 0, without: '' });
    expect(statistics.collections).toEqual([films]);

    const { documents } = current();
    expect(await idsIn(feed.books)).toBeNull();
    expect(await documents.locate(id)).toBeNull();
    expect(await documents.add(newDocument(feed.ann, feed.books))).toBeNull();
    const change = { content: '{}', by: NOBODY, updated: NOW, version: null };
    for (const address of [addressOf(document), { collection: null, id }]) {
      for (const scope of [EVERYTHING, accessScopeOfUser(feed.ann), accessScopeOfUser(feed.bob)]) {
        expect(await documents.find(address, scope)).toBeNull();
        expect(await documents.replace(address, scope, change)).toBe('missing');
        expect(await documents.remove(address, scope)).toBe('missing');
        expect(await documents.grant(address, scope, readBy(feed.eve))).toBe('missing');
      }
    }
    const ids = [...some, kept].map((one) => one.id);
    for (const scope of [EVERYTHING, accessScopeOfUser(feed.bob)]) {
      const found = await documents.lookUp({ ids, scope, openCollections: [] });
      expect(found.map((one) => one.id)).toEqual([kept.id]);
    }
    const fromTheBeginning = await readEntries(current(), { position: 0, id: '' });
    expect(fromTheBeginning.map((entry) => entry.id)).toEqual([kept.id]);
  });

  it('has one winner of several removals at the same time', async () => {
    const outcomes = await Promise.all(Array.from({ length: 5 }, begin));
    expect(outcomes.filter(Boolean)).toHaveLength(1);
  });

  it('removes everything in small parts, and nothing of others', async () => {
    await begin();
    let left = await documentsOf(feed.ann);
    while (await maintain(current(), PART)) {
      const still = await documentsOf(feed.ann);
      expect(left - still).toBeLessThanOrEqual(PART);
      left = still;
    }
    expect([await documentsOf(feed.ann), await finish()]).toEqual([1, 0]);
    expect(await idsIn(feed.films)).toEqual([kept.id]);
    const scope = accessScopeOfUser(feed.bob);
    expect(await current().documents.find(addressOf(kept), scope)).toMatchObject({ rights: RIGHTS.read });
  });

  it('removes a document with all its grants at once, however many', async () => {
    const many = Array.from({ length: 3 * PART }, () => readBy(uuid()));
    for (let i = 0; i < 2; i++) await feed.write({ collection: feed.films, grants: many });
    await collections().remove(feed.films);
    await finish();
    expect(await documentsOf(feed.ann)).toBe(12);
  });

  it('frees the name at once, and what is created under it stays', async () => {
    await begin();
    await addCollection(current(), 'books');
    const document = newDocument(feed.ann, feed.books);
    await current().documents.add(document);
    expect(await idsIn(feed.books)).toEqual([document.id]);
    expect(await begin()).toBe(true);
    await addCollection(current(), 'Books');
    await finish();
    expect(await idsIn(feed.books)).toEqual([]);
    expect(await collections().names()).toEqual(['Books', 'Films']);
  });

  it('tells the feed nothing of each document', async () => {
    feed.before = await now(current());
    await begin();
    await finish();
    expect(await readEntries(current(), feed.before)).toEqual([]);
    expect(await feed.newsFor(EVERYTHING)).toEqual([]);
  });

  it('can be done by several nodes at once, while the author is removed', async () => {
    await begin();
    await current().users.remove(feed.ann);
    await Promise.all([finish(), finish(), finish()]);
    expect([await documentsOf(feed.ann), await finish()]).toEqual([0, 0]);
    expect(await idsIn(feed.films)).toEqual([]);
  });

  it('removes no part of a collection whose removal has not begun', async () => {
    expect(await finish()).toBe(0);
    expect(await idsIn(feed.books)).toHaveLength(12);
  });

  it('is undone with its transaction', async () => {
    const failed = current().transaction(async (stores) => {
      await stores.collections.remove(feed.books);
      throw new Error('undo');
    });
    await expect(failed).rejects.toThrow('undo');
    expect(await idsIn(feed.books)).toHaveLength(12);
    expect(await collections().findName(feed.books)).toBe('Books');
  });
}
