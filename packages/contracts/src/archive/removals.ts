import { type ArchiveSource, type ArchiveTarget, groupPrincipal, RIGHTS, type Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addCollection, addUser, EVERYTHING, NOW, newDocument, uuid } from '../storage/fixtures.ts';
import type { OpenedArchive } from './contract.ts';

/** Functions that open archives and close them after each test. */
interface Tools {
  opened(): Promise<OpenedArchive>;
  sourceOf(opened: OpenedArchive): Promise<ArchiveSource>;
  targetOf(opened: OpenedArchive): Promise<ArchiveTarget>;
  copy(source: ArchiveSource, target: ArchiveTarget): Promise<void>;
}

/** Finishes the removal of a user. */
async function removeParts({ users }: Storage, id: string): Promise<void> {
  while (await users.removePart(id, 2));
}

/** Archives of a database in which removals have begun. */
export function removalsInArchives({ opened, sourceOf, targetOf, copy }: Tools): void {
  it('has users whose removal has begun, and it can be finished there', async () => {
    const [full, empty] = [await opened(), await opened()];
    const [ann, bob] = [await addUser(full.storage, 'Ann'), await addUser(full.storage, 'Bob')];
    const books = await addCollection(full.storage, 'Books');
    for (const { id } of [ann, ann, ann, ann, ann, bob]) await full.storage.documents.add(newDocument(id, books));
    await full.storage.users.beginRemoval(ann.id);
    await full.storage.users.removePart(ann.id, 2);
    const source = await sourceOf(full);
    await removeParts(full.storage, ann.id);
    const target = await targetOf(empty);
    await copy(source, target);
    await empty.storage.migrate();
    const { users, documents } = empty.storage;
    expect(await documents.count(books, EVERYTHING, null)).toBe(4);
    expect([await users.find(ann.id), await users.findByKey('ann')]).toEqual([null, null]);
    expect(await users.removalsBegun(10)).toEqual([ann.id]);
    await removeParts(empty.storage, ann.id);
    expect(await documents.count(books, EVERYTHING, null)).toBe(1);
    expect(await users.removalsBegun(10)).toEqual([]);
  });

  it('has collections whose removal has begun, and it can be finished there', async () => {
    const [full, empty] = [await opened(), await opened()];
    const ann = await addUser(full.storage, 'Ann');
    const [books, films] = [await addCollection(full.storage, 'Books'), await addCollection(full.storage, 'Films')];
    for (const name of [books, books, books, films]) await full.storage.documents.add(newDocument(ann.id, name));
    const ids = (await full.storage.collections.beginRemoval(books)) ?? [];
    const source = await sourceOf(full);
    const target = await targetOf(empty);
    await copy(source, target);
    await empty.storage.migrate();
    const { collections, documents, users } = empty.storage;
    expect(await collections.names()).toEqual(['Films']);
    expect(await documents.count(books, EVERYTHING, null)).toBeNull();
    expect(await collections.removalsBegun(10)).toEqual(ids);
    for (const id of ids) while (await collections.removePart(id, 2));
    expect(await collections.removalsBegun(10)).toEqual([]);
    expect(await users.weigh(ann.id, 100)).toBe(1);
    expect(await documents.count(films, EVERYTHING, null)).toBe(1);
  });

  it('has groups that were removed, and the removal of their grants can be finished there', async () => {
    const [full, empty] = [await opened(), await opened()];
    const ann = await addUser(full.storage, 'Ann');
    const books = await addCollection(full.storage, 'Books');
    const id = uuid();
    await full.storage.groups.add({ id, name: 'Friends', created: NOW }, ann.id);
    const principals = [groupPrincipal(id)];
    const grants = principals.map((principal) => ({ principal, rights: RIGHTS.read }));
    for (let i = 0; i < 5; i++) await full.storage.documents.add(newDocument(ann.id, books, { grants }));
    await full.storage.groups.remove(id);
    await full.storage.groups.removePart(id, 2);
    const source = await sourceOf(full);
    const target = await targetOf(empty);
    await copy(source, target);
    await empty.storage.migrate();
    const { groups, documents } = empty.storage;
    const scope = { everything: false, owner: null, principals, followed: false, ruled: 0 };
    expect(await documents.count(books, scope, null)).toBe(3);
    expect([await groups.find(id, ann.id), await groups.removalsBegun(10)]).toEqual([null, [id]]);
    while (await groups.removePart(id, 2));
    expect([await documents.count(books, scope, null), await groups.removalsBegun(10)]).toEqual([0, []]);
  });
}
