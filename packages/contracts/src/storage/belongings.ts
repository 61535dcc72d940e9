import type { Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addCollection, addUser, newDocument, newFile, newSession } from './fixtures.ts';

export function belongingsContract(current: () => Storage): void {
  it('are nothing at first, and for a user who does not exist', async () => {
    const ann = await addUser(current(), 'Ann');
    const nothing = { documents: 0, files: 0, sessions: 0, followers: 0, following: 0 };
    expect(await current().users.belongings(ann.id, 10)).toEqual(nothing);
    await current().users.remove(ann.id);
    expect(await current().users.belongings(ann.id, 10)).toEqual(nothing);
  });

  it('are those of this user, of each kind up to the limit', async () => {
    const [ann, bob, eve] = [
      await addUser(current(), 'Ann'),
      await addUser(current(), 'Bob'),
      await addUser(current(), 'Eve'),
    ];
    const [books, films] = [await addCollection(current(), 'Books'), await addCollection(current(), 'Films')];
    for (const collection of [books, books, films]) await current().documents.add(newDocument(ann.id, collection));
    await current().documents.add(newDocument(bob.id, books));
    await current().files.add(newFile(ann.id));
    await current().sessions.add(newSession(ann.id));
    await current().sessions.add(newSession(ann.id));
    await current().follows.add(bob.id, ann.id);
    await current().follows.add(eve.id, ann.id);
    await current().follows.add(ann.id, eve.id);
    const counted = { documents: 3, files: 1, sessions: 2, followers: 2, following: 1 };
    expect(await current().users.belongings(ann.id, 10)).toEqual(counted);
    expect(await current().users.belongings(ann.id, 2)).toEqual({ ...counted, documents: 2 });
    const his = { documents: 1, files: 0, sessions: 0, followers: 0, following: 1 };
    expect(await current().users.belongings(bob.id, 10)).toEqual(his);
  });
}
