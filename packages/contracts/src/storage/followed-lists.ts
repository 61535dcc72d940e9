import type { AccessScope, NewUser, Storage } from '@baobab/core';
import { userPrincipal } from '@baobab/core';
import { beforeEach, expect, it } from 'vitest';
import { addCollection, addUser, newDocument } from './fixtures.ts';

/** An adapter may first try the next documents of the collection if the caller follows thousands of users. */
const FOLLOWED = 2_100;
const UNREADABLE = 2_100;

/** Tests lists of documents of followed users. */
export function followedListsContract(current: () => Storage): void {
  let books: string;
  let [fan, star, stranger]: NewUser[] = [];
  let scope: AccessScope;

  const idOf = (user: NewUser | undefined) => user?.id ?? '';

  async function write(user: NewUser | undefined): Promise<string> {
    const document = newDocument(idOf(user), books);
    await current().documents.add(document);
    return document.id;
  }

  async function listed(descending = false, after: string | null = null, limit = 5): Promise<string[]> {
    const order = descending ? [{ path: ['_creation_date'] as const, descending }] : [];
    const position = after === null ? null : { keys: order.map(() => null), id: after };
    const request = { collection: books, scope, where: null, order, after: position, skip: 0, limit };
    return ((await current().documents.list(request)) ?? []).map(({ id }) => id);
  }

  /** Reads all pages. */
  async function walked(descending: boolean): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      const page = await listed(descending, ids.at(-1) ?? null);
      if (page.length === 0) return ids;
      ids.push(...page);
    }
  }

  const writeUnreadable = () =>
    current().transaction(async ({ documents }) => {
      for (let i = 0; i < UNREADABLE; i++) await documents.add(newDocument(idOf(stranger), books));
    });

  beforeEach(async () => {
    books = await addCollection(current(), 'Books');
    fan = await addUser(current(), 'Fan');
    star = await addUser(current(), 'Star');
    stranger = await addUser(current(), 'Stranger');
    await current().follows.add(idOf(fan), idOf(star));
    scope = { everything: false, owner: idOf(fan), principals: [userPrincipal(idOf(fan))], followed: true, ruled: 0 };
  });

  it('contain the documents of followed users and one’s own, in both directions and from any cursor', async () => {
    const ids = [];
    for (let i = 0; i < 8; i++) {
      ids.push(await write(i % 4 === 0 ? fan : star));
      await write(stranger);
    }
    expect(await listed()).toEqual(ids.slice(0, 5));
    expect(await listed(true)).toEqual(ids.toReversed().slice(0, 5));
    expect(await listed(false, ids[2])).toEqual(ids.slice(3, 8));
    expect(await listed(true, ids[2])).toEqual([ids[1], ids[0]]);
    expect(await listed(false, null, 100)).toEqual(ids);
  });

  it('show each change at once', async () => {
    const first = await write(star);
    await write(stranger);
    expect(await listed()).toEqual([first]);
    const second = await write(star);
    expect(await listed()).toEqual([first, second]);
    expect(await listed(true)).toEqual([second, first]);
    const anything: AccessScope = { ...scope, everything: true };
    await current().documents.remove({ collection: books, id: first }, anything);
    expect(await listed()).toEqual([second]);
    await current().follows.remove(idOf(fan), idOf(star));
    expect(await listed()).toEqual([]);
    await current().follows.add(idOf(fan), idOf(stranger));
    expect(await listed()).toHaveLength(1);
    await current().collections.remove(books);
    await addCollection(current(), 'Books');
    expect(await listed()).toEqual([]);
  });

  it('find documents far behind many documents of other users', async () => {
    await writeUnreadable();
    const last = await write(star);
    expect(await listed()).toEqual([last]);
  });

  it('are complete for a user who follows thousands of others, wherever the documents are', async () => {
    await current().transaction(async (storage) => {
      for (let i = 0; i < FOLLOWED; i++) await storage.follows.add(idOf(fan), (await addUser(storage, `Star ${i}`)).id);
    });
    const ids: string[] = [];
    const writeSome = async () => {
      for (let i = 0; i < 8; i++) {
        ids.push(await write(i % 4 === 0 ? fan : star));
        await write(stranger);
      }
    };
    await writeSome();
    await writeUnreadable();
    await writeSome();
    expect(await walked(false)).toEqual(ids);
    expect(await walked(true)).toEqual(ids.toReversed());
  });
}
