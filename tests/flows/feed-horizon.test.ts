import { createPostgresStorage } from '@baobab/adapters/postgres';
import { accessScopeOfUser, addCollection, addUser, newDocument } from '@baobab/contracts/storage';
import { type Change, type FeedPlace, NOBODY, RIGHTS, userPrincipal } from '@baobab/core';
import { afterEach, expect, it } from 'vitest';
import { silentLogger } from '../support/logger.ts';
import { createLatch, until } from '../support/patience.ts';
import { createSetUp } from '../support/set-up.ts';

const setUp = createSetUp();
const closers: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

it('a page has no state of a document that is newer than transactions that are still open', async () => {
  const storage = createPostgresStorage({ url: await setUp.database(), logger: silentLogger });
  closers.push(() => storage.close());
  const [ann, bob] = [await addUser(storage, 'Ann'), await addUser(storage, 'Bob')];
  const collection = await addCollection(storage, 'books');
  const document = newDocument(ann.id, collection);
  const [address, scope] = [{ collection, id: document.id }, accessScopeOfUser(ann.id)];
  await storage.documents.add(document);
  const { horizon } = await storage.changes.state();

  async function read(after: FeedPlace): Promise<{ next: FeedPlace; changes: readonly Change[] }> {
    const wanted = { collections: null, scope: accessScopeOfUser(bob.id), openCollections: [], after, limit: 10 };
    return storage.changes.read(wanted);
  }

  await storage.documents.grant(address, scope, { principal: userPrincipal(bob.id), rights: RIGHTS.read });
  await until(async () => (await read({ position: horizon, id: '' })).changes.length === 1);
  const [begun, mayEnd] = [createLatch(), createLatch()];
  const open = storage.transaction(async ({ settings }) => {
    await settings.set({ key: 'any', value: '' });
    begun.open();
    await mayEnd.opened;
  });
  await begun.opened;
  await storage.documents.replace(address, scope, { content: '{"n":2}', by: NOBODY, version: null, updated: 2 });
  const early = await read({ position: horizon, id: '' });
  expect(early.changes).toEqual([]);
  mayEnd.open();
  await open;
  let place = early.next;
  const found: Change[] = [];
  await until(async () => {
    const { changes, next } = await read(place);
    found.push(...changes);
    place = next;
    return found.length > 0;
  });
  expect(found).toMatchObject([{ type: 'put', document: { version: 2 } }]);
});
