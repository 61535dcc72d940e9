import { addCollection, addUser, EVERYTHING, maintain, newDocument } from '@baobab/contracts/storage';
import type { Storage } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHandDrivenClock } from '../support/clock.ts';
import { STORAGES, type TestStorage } from '../support/databases.ts';
import { killedAtPart, startRemovingNode } from '../support/removing-node.ts';

/** More rows than the service removes in one transaction. */
const DOCUMENTS = 1_200;

/** Memory removes any collection at once. */
const IN_PARTS = Object.entries(STORAGES).filter(([name]) => name !== 'memory');

describe.each(IN_PARTS)('removal of a large collection, on %s', (_name, open) => {
  let opened: TestStorage;
  let storage: Storage;
  let ann: string;
  const clock = createHandDrivenClock();
  const startNode = (beforePart: (part: number) => Promise<unknown>) =>
    startRemovingNode({ storage, clock, beforePart });
  const atOnce = async () => undefined;

  beforeEach(async () => {
    opened = await open();
    ({ storage } = opened);
    ann = (await addUser(storage, 'Ann')).id;
    const [books] = [await addCollection(storage, 'Books'), await addCollection(storage, 'Films')];
    await storage.transaction(async ({ documents }) => {
      for (let i = 0; i < DOCUMENTS; i++) await documents.add(newDocument(ann, books));
    });
  });
  afterEach(() => opened.dispose());

  /** Also those that nobody can find any more. */
  const left = async () => (await storage.users.belongings(ann, 10 * DOCUMENTS)).documents;

  it('is finished when the call resolves, and others write meanwhile', async () => {
    const { removeCollection, parts } = startNode(async () => {
      expect(await storage.documents.count('books', EVERYTHING, null)).toBeNull();
      await storage.documents.add(newDocument(ann, 'films'));
    });
    await removeCollection('Books');
    expect(parts()).toBeGreaterThan(2);
    expect(await left()).toBe(parts());
    expect(await storage.documents.count('films', EVERYTHING, null)).toBe(parts());
    await expect(removeCollection('Books')).rejects.toMatchObject({ code: 'collection.not_found' });
  });

  it('is finished by another node when the one that began it is killed', async () => {
    const { beforePart, death } = killedAtPart(2);
    const dying = startNode(beforePart);
    void dying.removeCollection('books');
    await death;
    expect([(await left()) > 0, (await left()) < DOCUMENTS]).toEqual([true, true]);
    await addCollection(storage, 'Books');
    await storage.documents.add(newDocument(ann, 'books'));
    await startNode(atOnce).housekeeping.sweep();
    expect(await maintain(storage, 10)).toBe(false);
    expect(await storage.documents.count('books', EVERYTHING, null)).toBe(1);
    expect(await left()).toBe(1);
  });

  it('goes on in the background when it takes long, together with the removal of a user', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { removeCollection, removeUser, removals } = startNode(async (part) => {
      clock.advance(6_000);
      if (part > 1) await released;
    });
    await removeCollection('books');
    expect(await storage.collections.names()).toEqual(['Films']);
    expect(await left()).toBeGreaterThan(0);
    release();
    await removeUser('ann');
    await removals.resume();
    expect([await left(), await maintain(storage, 10)]).toEqual([0, false]);
  });
});
