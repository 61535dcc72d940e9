import { addCollection, addUser, maintain, NOW, newDocument, uuid } from '@baobab/contracts/storage';
import { type AccessScope, groupPrincipal, RIGHTS, type Storage } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHandDrivenClock } from '../support/clock.ts';
import { STORAGES, type TestStorage } from '../support/databases.ts';
import { killedAtPart, startRemovingNode } from '../support/removing-node.ts';

/** More grants than the service removes in one transaction. */
const DOCUMENTS = 1_200;
const FRIENDS = { name: 'Friends', created: NOW };

/** Memory removes the grants to any group at once. */
const IN_PARTS = Object.entries(STORAGES).filter(([name]) => name !== 'memory');

describe.each(IN_PARTS)('removal of a group with many grants, on %s', (_name, open) => {
  let opened: TestStorage;
  let storage: Storage;
  let ann: string;
  let id: string;
  let scope: AccessScope;
  const clock = createHandDrivenClock();
  const startNode = (beforePart: (part: number) => Promise<unknown>) =>
    startRemovingNode({ storage, clock, beforePart });
  const atOnce = async () => undefined;

  beforeEach(async () => {
    opened = await open();
    ({ storage } = opened);
    ann = (await addUser(storage, 'Ann')).id;
    const books = await addCollection(storage, 'Books');
    id = uuid();
    await storage.groups.add({ id, ...FRIENDS }, ann);
    const principals = [groupPrincipal(id)];
    scope = { everything: false, owner: null, principals, followed: false, ruled: 0 };
    const grants = principals.map((principal) => ({ principal, rights: RIGHTS.read }));
    await storage.transaction(async ({ documents }) => {
      for (let i = 0; i < DOCUMENTS; i++) await documents.add(newDocument(ann, books, { grants }));
    });
  });
  afterEach(() => opened.dispose());

  /** Rows that are left, which count for nobody who is not said to be in the group. */
  const left = () => storage.documents.count('books', scope, null);

  it('is finished when the call resolves, and others write meanwhile', async () => {
    let written = 0;
    const { removeGroup, parts } = startNode(async () => {
      expect(await storage.groups.find(id, ann)).toBeNull();
      await storage.documents.add(newDocument(ann, 'books'));
      written++;
    });
    await removeGroup(id);
    expect(parts()).toBeGreaterThan(2);
    expect(written).toBe(parts());
    expect([await left(), await maintain(storage, 10)]).toEqual([0, false]);
    await expect(removeGroup(id)).rejects.toMatchObject({ code: 'group.not_found' });
  });

  it('is finished by another node when the one that began it is killed', async () => {
    const { beforePart, death } = killedAtPart(2);
    void startNode(beforePart).removeGroup(id);
    await death;
    expect(await left()).toBeGreaterThan(0);
    expect(await left()).toBeLessThan(DOCUMENTS);
    const again = uuid();
    await storage.groups.add({ id: again, ...FRIENDS }, ann);
    await startNode(atOnce).housekeeping.sweep();
    expect([await left(), await maintain(storage, 10)]).toEqual([0, false]);
    expect(await storage.groups.find(again, ann)).toMatchObject(FRIENDS);
  });

  it('goes on in the background when it takes long', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { removeGroup, removals } = startNode(async (part) => {
      clock.advance(6_000);
      if (part > 1) await released;
    });
    await removeGroup(id);
    expect(await storage.groups.find(id, ann)).toBeNull();
    expect(await left()).toBeGreaterThan(0);
    release();
    await removals.resume();
    expect([await left(), await maintain(storage, 10)]).toEqual([0, false]);
  });

  it('is finished by housekeeping when it went with its last member', async () => {
    const { removeUser, housekeeping } = startNode(atOnce);
    const bob = (await addUser(storage, 'Bob')).id;
    await storage.groups.handOver(id, bob, { joined: NOW, counted: false });
    await storage.groups.removeMember(id, ann);
    await removeUser('Bob');
    expect(await storage.groups.find(id, null)).toBeNull();
    await housekeeping.sweep();
    expect([await left(), await maintain(storage, 10)]).toEqual([0, false]);
  });
});
