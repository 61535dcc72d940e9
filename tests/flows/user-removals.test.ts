import { addCollection, addUser, EVERYTHING, maintain, newDocument, UNSORTED, uuid } from '@baobab/contracts/storage';
import { RIGHTS, type Storage, userPrincipal } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { STORAGES, type TestStorage } from '../support/databases.ts';
import { killedAtPart, startRemovingNode } from '../support/removing-node.ts';

/** Together more rows than the service removes in one part. */
const DOCUMENTS = 60;
const GRANTS = 30;
const DAY = 24 * 60 * MINUTE;

/** Memory removes any user at once. */
const IN_PARTS = Object.entries(STORAGES).filter(([name]) => name !== 'memory');

describe.each(IN_PARTS)('removal of users with many documents, on %s', (_name, open) => {
  let opened: TestStorage;
  let storage: Storage;
  let collection: string;
  let bob: string;
  const clock = createHandDrivenClock();

  beforeEach(async () => {
    opened = await open();
    ({ storage } = opened);
    collection = await addCollection(storage, 'Books');
    bob = (await addUser(storage, 'Bob')).id;
  });
  afterEach(() => opened.dispose());

  async function addAuthor(name: string, overrides: Parameters<typeof addUser>[2] = {}) {
    const user = await addUser(storage, name, overrides);
    const grants = Array.from({ length: GRANTS }, () => ({ principal: userPrincipal(uuid()), rights: RIGHTS.read }));
    await storage.transaction(async ({ documents }) => {
      for (let i = 0; i < DOCUMENTS; i++) await documents.add(newDocument(user.id, collection, { grants }));
    });
    return user;
  }

  const documentsLeft = async () => {
    const list = { collection, scope: EVERYTHING, ...UNSORTED, after: null, skip: 0, limit: 10 * DOCUMENTS };
    return ((await storage.documents.list(list)) ?? []).map(({ id }) => id);
  };

  /** A node whose removals run `before` each part; each node has a storage of its own. */
  function startNode(beforePart?: (part: number) => Promise<unknown>) {
    const node = startRemovingNode({ storage, clock, ...(beforePart === undefined ? {} : { beforePart }) });
    return { ...node, remove: node.removeUser };
  }

  it('is finished when the call resolves, and others write meanwhile', async () => {
    await addAuthor('Ann');
    const kept: string[] = [];
    const { remove } = startNode(async () => {
      const document = newDocument(bob, collection);
      await storage.documents.add(document);
      kept.push(document.id);
    });
    await remove('ann');
    expect(kept.length).toBeGreaterThan(3);
    expect(await documentsLeft()).toEqual(kept.toSorted());
    await expect(remove('ann')).rejects.toMatchObject({ code: 'user.not_found' });
  });

  it('is finished by another node when the one that began it is killed', async () => {
    await addAuthor('Ann');
    const { beforePart, death } = killedAtPart(3);
    const dying = startNode(beforePart);
    void dying.remove('ann');
    await death;
    const left = (await documentsLeft()).length;
    expect([left > 0, left < DOCUMENTS]).toEqual([true, true]);
    expect(await storage.users.findByKey('ann')).toBeNull();
    await startNode().housekeeping.sweep();
    expect(await documentsLeft()).toEqual([]);
    expect(await maintain(storage, 10)).toBe(false);
  });

  it('is done by one node in the background, and by another one when that is killed', async () => {
    const ann = await addAuthor('Ann');
    await storage.users.remove(ann.id);
    const { beforePart, death } = killedAtPart(2);
    const dying = startNode(beforePart);
    void dying.removals.resume();
    await death;
    const left = await documentsLeft();
    const living = startNode();
    await living.removals.resume();
    expect(await documentsLeft()).toEqual(left);
    clock.advance(MINUTE);
    await living.removals.resume();
    expect(await documentsLeft()).toEqual([]);
  });

  it('goes on in the background when it takes long, while the user is gone', async () => {
    await addAuthor('Ann');
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { remove, removals } = startNode(async (part) => {
      clock.advance(4_000);
      if (part > 2) await released;
    });
    await remove('ann');
    expect((await documentsLeft()).length).toBeGreaterThan(0);
    expect(await storage.users.findByKey('ann')).toBeNull();
    await expect(remove('ann')).rejects.toMatchObject({ code: 'user.not_found' });
    release();
    await removals.resume();
    expect(await documentsLeft()).toEqual([]);
  });

  it('succeeds also when a part fails, and is retried', async () => {
    for (const name of ['Ann', 'Cid']) await addAuthor(name);
    const failing = startNode(async () => {
      throw new Error('broken');
    });
    await failing.remove('ann');
    await failing.removals.resume();
    expect((await documentsLeft()).length).toBeGreaterThan(0);
    const { removals, remove } = startNode();
    await Promise.all([remove('cid'), removals.resume()]);
    expect(await documentsLeft()).toEqual([]);
  });

  it('of guests who stay away happens in the same run of the housekeeping', async () => {
    const guest = await addAuthor('Guest', { guest: true, passwordHash: null, created: clock.now() });
    clock.advance(40 * DAY);
    await startNode().housekeeping.sweep();
    expect(await storage.users.find(guest.id)).toBeNull();
    expect(await documentsLeft()).toEqual([]);
    expect(await maintain(storage, 10)).toBe(false);
  });
});
