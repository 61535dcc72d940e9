import type { AccessScope, NewUser, Storage } from '@baobab/core';
import { userPrincipal } from '@baobab/core';
import { beforeEach, expect, it } from 'vitest';
import { addCollection, addUser, newDocument } from './fixtures.ts';

const READERS = 3;

/** Tests lists of documents of followed users, repeated so often that the adapter uses its caches. */
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

  async function list(descending: boolean, after: string | null, limit: number): Promise<string[]> {
    const order = descending ? [{ path: ['_creation_date'] as const, descending }] : [];
    const position = after === null ? null : { keys: order.map(() => null), id: after };
    const request = { collection: books, scope, where: null, order, after: position, skip: 0, limit };
    return ((await current().documents.list(request)) ?? []).map(({ id }) => id);
  }

  async function listed(descending = false, after: string | null = null, limit = 5): Promise<string[]> {
    const ids = await list(descending, after, limit);
    for (let i = 1; i < READERS; i++) expect(await list(descending, after, limit)).toEqual(ids);
    return ids;
  }

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
    await current().transaction(async ({ documents }) => {
      for (let i = 0; i < 2_100; i++) await documents.add(newDocument(idOf(stranger), books));
    });
    const last = await write(star);
    expect(await listed()).toEqual([last]);
  });
}
