import { type AccessScope, groupPrincipal, NOBODY, RIGHTS, type Storage, userPrincipal } from '@baobab/core';
import { beforeEach, expect, it } from 'vitest';
import {
  ANYBODY,
  accessScopeOfUser,
  addCollection,
  addUser,
  EVERYTHING,
  NOW,
  newDocument,
  UNSORTED,
  uuid,
} from './fixtures.ts';
import { finishRemovals, maintain } from './maintenance.ts';

/** More than adapters look up one by one, and more than they leave unfolded. */
const MANY = 1_100;
const WRITERS = 12;

/** Tests totals of documents, which adapters may store in counters. */
export function documentTotalsContract(current: () => Storage): void {
  let [books, films] = ['', ''];
  let [ann, bob, fan] = ['', '', ''];
  let group = '';

  const following = (id: string): AccessScope => ({ ...accessScopeOfUser(id), followed: true });

  function scopes(): AccessScope[] {
    const inGroups = [group, ...Array.from({ length: 3 }, () => uuid())].map(groupPrincipal);
    const plain = accessScopeOfUser(bob, 'editors');
    const ofMany = { ...plain, principals: [...plain.principals, ...inGroups] };
    const users = [ann, bob, fan].map((id) => accessScopeOfUser(id));
    return [EVERYTHING, ANYBODY, ...users, following(ann), following(fan), ofMany, { ...ofMany, followed: true }];
  }

  async function listed(collection: string, scope: AccessScope): Promise<number | undefined> {
    const list = { collection, scope, ...UNSORTED, after: null, skip: 0, limit: 10_000 };
    return (await current().documents.list(list))?.length;
  }

  /** Returns the totals of the collections in every scope. They must equal the lengths of the lists, folded or not. */
  async function totals(): Promise<number[]> {
    const found: number[] = [];
    for (const collection of [books, films]) {
      for (const scope of scopes()) {
        const total = await current().documents.count(collection, scope, null);
        expect(total ?? undefined).toBe(await listed(collection, scope));
        found.push(total ?? -1);
      }
    }
    return found;
  }

  async function bothTotals(): Promise<number[]> {
    const found = await totals();
    await maintain(current(), 100);
    expect(await totals()).toEqual(found);
    return found;
  }

  async function add(author: string, collection = books, grants: readonly string[] = []): Promise<string> {
    const document = newDocument(author, collection, {
      grants: grants.map((principal) => ({ principal: principal as `r:${string}`, rights: RIGHTS.read })),
    });
    await current().documents.add(document);
    return document.id;
  }

  const remove = (id: string) => current().documents.remove({ collection: null, id }, EVERYTHING);

  beforeEach(async () => {
    [books, films] = [await addCollection(current(), 'Books'), await addCollection(current(), 'Films')];
    const users = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob'), await addUser(current(), 'Fan')];
    [ann = '', bob = '', fan = ''] = users.map(({ id }) => id);
    group = uuid();
    await current().groups.add({ id: group, name: 'Friends', created: NOW }, ann);
    await current().follows.add(fan, ann);
  });

  it('are the numbers of documents that can be read, through all changes', async () => {
    expect(new Set(await bothTotals())).toEqual(new Set([0]));
    const own = await add(ann);
    await add(ann, films);
    await add(bob, films, ['r:anonymous', userPrincipal(ann)]);
    // Shared with the author and a follower, who can read it anyway.
    const granted = await add(ann, books, [userPrincipal(ann), userPrincipal(fan), groupPrincipal(group), 'r:editors']);
    await add(bob, books, ['r:anonymous', userPrincipal(fan)]);
    expect(await current().documents.count(books, EVERYTHING, null)).toBe(3);
    expect(await current().documents.count(books, following(fan), null)).toBe(3);
    await bothTotals();
    await remove(own);
    await remove(own);
    await bothTotals();
    await current().documents.setGrants({ collection: books, id: granted }, EVERYTHING, []);
    await bothTotals();
    await current().follows.remove(fan, ann);
    await current().follows.add(fan, bob);
    await bothTotals();
    await current().documents.replace({ collection: books, id: granted }, EVERYTHING, {
      content: '{"a":2}',
      by: NOBODY,
      updated: NOW,
      version: null,
    });
    await bothTotals();
    await current().users.remove(ann);
    await finishRemovals(current(), 100);
    await bothTotals();
    expect(await current().documents.count(books, EVERYTHING, null)).toBe(1);
    await current().collections.remove(books);
    expect(await current().documents.count(books, EVERYTHING, null)).toBeNull();
    expect(await current().documents.count(books, accessScopeOfUser(bob), null)).toBeNull();
    books = await addCollection(current(), 'Books');
    await bothTotals();
    expect(await current().documents.count(books, EVERYTHING, null)).toBe(0);
  });

  it('ignore what a failed transaction wrote, and count inside a transaction what it has written', async () => {
    await add(ann);
    const failed = current().transaction(async ({ documents }) => {
      await documents.add(newDocument(ann, books));
      expect(await documents.count(books, EVERYTHING, null)).toBe(2);
      expect(await documents.count(books, accessScopeOfUser(ann), null)).toBe(2);
      throw new Error('on purpose');
    });
    await expect(failed).rejects.toThrow('on purpose');
    expect(await current().documents.count(books, EVERYTHING, null)).toBe(1);
    await bothTotals();
  });

  it('are exact after concurrent writers that change collections in different orders, while totals are folded', async () => {
    const writers = Array.from({ length: WRITERS }, (_, n) =>
      current().transaction(async ({ documents }) => {
        const [first, second] = n % 2 === 0 ? [books, films] : [films, books];
        const document = newDocument(ann, first);
        await documents.add(document);
        await documents.add(newDocument(n % 3 === 0 ? bob : ann, second));
        if (n % 4 === 0) await documents.remove({ collection: first, id: document.id }, EVERYTHING);
      }),
    );
    const folds = Array.from({ length: 4 }, () => maintain(current(), 100));
    await Promise.all([...writers, ...folds]);
    const left = 2 * WRITERS - WRITERS / 4;
    const [inBooks, inFilms] = [
      await current().documents.count(books, EVERYTHING, null),
      await current().documents.count(films, EVERYTHING, null),
    ];
    expect((inBooks ?? 0) + (inFilms ?? 0)).toBe(left);
    await bothTotals();
  });

  it('are exact for many documents and grants', async () => {
    await current().transaction(async ({ documents }) => {
      for (let n = 0; n < MANY; n++) {
        const grants = [{ principal: userPrincipal(bob), rights: RIGHTS.read }];
        await documents.add(newDocument(n % 10 === 0 ? bob : ann, books, { grants }));
      }
    });
    expect(await current().documents.count(books, EVERYTHING, null)).toBe(MANY);
    expect(await current().documents.count(books, accessScopeOfUser(bob), null)).toBe(MANY);
    expect(await current().documents.count(books, accessScopeOfUser(ann), null)).toBe(MANY - MANY / 10);
    await bothTotals();
  });
}
