import { type NewDocument, RIGHTS, type Storage, userPrincipal } from '@baobab/core';
import { beforeEach, expect, it } from 'vitest';
import { addressOf, createFeedCase } from './feed-case.ts';
import { now, readEntries } from './feed-reading.ts';
import { accessScopeOfUser, addCollection, EVERYTHING, NOW, newDocument, UNSORTED, uuid } from './fixtures.ts';

const PART = 5;
/** A filter that every document matches. */
const HAS_NO_TITLE = { kind: 'null', operand: { kind: 'path', path: ['title'] } } as const;
/** More parts than any of these collections has. */
const MANY_PARTS = 100;

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

  const begin = async () => (await collections().beginRemoval(feed.books)) ?? [];

  async function finish(ids: readonly string[]): Promise<number> {
    let parts = 0;
    for (const id of ids) {
      while (await collections().removePart(id, PART)) {
        parts++;
        expect(parts).toBeLessThan(MANY_PARTS);
      }
    }
    return parts;
  }

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

  it('weighs the documents, their grants and what the feed keeps of removed ones, up to a limit', async () => {
    const empty = await addCollection(current(), 'Empty');
    expect([await collections().weigh(empty, 10), await collections().weigh('missing', 10)]).toEqual([0, 0]);
    expect([await collections().weigh(feed.books, 100), await collections().weigh(feed.books, 7)]).toEqual([15, 7]);
    expect(await collections().weigh(feed.films, 100)).toBe(2);
    await feed.remove(kept);
    expect(await collections().weigh(feed.films, 100)).toBeGreaterThan(0);
    expect(await collections().weigh(feed.films, 1)).toBe(1);
  });

  it('begins with hiding the collection and its documents from everybody', async () => {
    const [document] = some;
    if (document === undefined) throw new Error('there are no documents');
    const { id } = document;
    await current().indexes.declare({ collection: feed.books, paths: [['title']], name: 'title' }, 10);
    await current().roles.add({ name: 'Editors', description: '' });
    await collections().setRules(feed.books, { read: ['editors'] });
    await collections().setSchema(feed.books, { version: uuid(), content: '{}' });
    // Makes any cached data of the collection as fresh as possible.
    expect(await idsIn(feed.books)).toHaveLength(12);
    expect(await begin()).not.toEqual([]);
    expect(await collections().beginRemoval(feed.books)).toBeNull();
    expect(await collections().beginRemoval('missing')).toBeNull();

    const films = { name: 'Films', records: 1, size: Buffer.byteLength(kept.content) };
    expect(await collections().findName(feed.books)).toBeNull();
    expect([await collections().keys(), await collections().names()]).toEqual([[feed.films], ['Films']]);
    expect(await collections().list()).toEqual([films]);
    expect([await collections().weigh(feed.books, 10), await collections().remove(feed.books)]).toEqual([0, false]);
    expect([(await collections().rules()).size, (await collections().schemaVersions()).size]).toEqual([0, 0]);
    expect(await collections().schema(feed.books)).toBeNull();
    expect(await current().indexes.list({ collection: feed.books })).toBeNull();
    const statistics = await current().statistics.measure({ activeSince: 0, createdSince: 0 });
    expect(statistics.collections).toEqual([films]);

    const { documents } = current();
    expect(await idsIn(feed.books)).toBeNull();
    expect(await documents.locate(id)).toBeNull();
    expect(await documents.add(newDocument(feed.ann, feed.books))).toBeNull();
    const change = { content: '{}', updated: NOW, version: null };
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

  it('removes everything in small parts, and nothing of others', async () => {
    const before = await current().users.weigh(feed.ann, 1_000);
    const ids = await begin();
    expect(await collections().removalsBegun(10)).toEqual((await collections().removalsBegun(10)).toSorted());
    let left = await current().users.weigh(feed.ann, 1_000);
    expect(left).toBeLessThanOrEqual(before);
    for (const id of ids) {
      while (await collections().removePart(id, PART)) {
        const still = await current().users.weigh(feed.ann, 1_000);
        expect(left - still).toBeLessThanOrEqual(PART);
        left = still;
      }
    }
    expect(left).toBe(before - 15);
    expect(await collections().removalsBegun(10)).toEqual([]);
    expect(await finish(ids)).toBe(0);
    expect(await idsIn(feed.films)).toEqual([kept.id]);
    const scope = accessScopeOfUser(feed.bob);
    expect(await current().documents.find(addressOf(kept), scope)).toMatchObject({ rights: RIGHTS.read });
  });

  it('removes a document with all its grants at once, however many', async () => {
    const many = Array.from({ length: 3 * PART }, () => readBy(uuid()));
    for (let i = 0; i < 2; i++) await feed.write({ collection: feed.films, grants: many });
    const ids = (await collections().beginRemoval(feed.films)) ?? [];
    await finish(ids);
    expect(await collections().removalsBegun(10)).toEqual([]);
    expect(await current().users.weigh(feed.ann, 1_000)).toBe(15);
  });

  it('frees the name at once, and what is created under it stays', async () => {
    const ids = await begin();
    await addCollection(current(), 'books');
    const document = newDocument(feed.ann, feed.books);
    await current().documents.add(document);
    expect(await idsIn(feed.books)).toEqual([document.id]);
    const again = (await collections().beginRemoval(feed.books)) ?? [];
    expect(again).not.toEqual(ids);
    await addCollection(current(), 'Books');
    await finish([...ids, ...again]);
    expect(await idsIn(feed.books)).toEqual([]);
    expect(await collections().names()).toEqual(['Books', 'Films']);
  });

  it('tells the feed nothing of each document', async () => {
    feed.before = await now(current());
    await finish(await begin());
    expect(await readEntries(current(), feed.before)).toEqual([]);
    expect(await feed.newsFor(EVERYTHING)).toEqual([]);
  });

  it('can be done by several nodes at once, while the author is removed', async () => {
    const ids = await begin();
    await current().users.beginRemoval(feed.ann);
    const removeAuthor = async () => {
      while (await current().users.removePart(feed.ann, PART));
    };
    await Promise.all([finish(ids), finish(ids), removeAuthor(), finish(ids)]);
    expect(await collections().removalsBegun(10)).toEqual([]);
    expect(await current().users.removalsBegun(10)).toEqual([]);
    expect(await idsIn(feed.films)).toEqual([]);
  });

  it('removes no part of a collection whose removal has not begun', async () => {
    for (const id of [uuid(), kept.id]) expect(await collections().removePart(id, PART)).toBe(false);
    expect(await idsIn(feed.books)).toHaveLength(12);
    expect(await collections().removalsBegun(10)).toEqual([]);
  });

  it('is undone with its transaction', async () => {
    const failed = current().transaction(async (stores) => {
      await stores.collections.beginRemoval(feed.books);
      throw new Error('undo');
    });
    await expect(failed).rejects.toThrow('undo');
    expect(await idsIn(feed.books)).toHaveLength(12);
    expect(await collections().findName(feed.books)).toBe('Books');
  });
}
