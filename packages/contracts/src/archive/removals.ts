import { type ArchiveSource, type ArchiveTarget, groupPrincipal, RIGHTS } from '@baobab/core';
import { expect, it } from 'vitest';
import { addCollection, addUser, EVERYTHING, NOW, newDocument, uuid } from '../storage/fixtures.ts';
import { finishRemovals, maintain } from '../storage/maintenance.ts';
import type { OpenedArchive } from './contract.ts';

/** Functions that open archives and close them after each test. */
interface Tools {
  opened(): Promise<OpenedArchive>;
  sourceOf(opened: OpenedArchive): Promise<ArchiveSource>;
  targetOf(opened: OpenedArchive): Promise<ArchiveTarget>;
  copy(source: ArchiveSource, target: ArchiveTarget): Promise<void>;
}

/** Archives of a database in which removals have begun. */
export function removalsInArchives({ opened, sourceOf, targetOf, copy }: Tools): void {
  it('has users whose removal has begun, and it can be finished there', async () => {
    const [full, empty] = [await opened(), await opened()];
    const [ann, bob] = [await addUser(full.storage, 'Ann'), await addUser(full.storage, 'Bob')];
    const books = await addCollection(full.storage, 'Books');
    for (const { id } of [ann, ann, ann, ann, ann, bob]) await full.storage.documents.add(newDocument(id, books));
    await full.storage.users.remove(ann.id);
    await maintain(full.storage, 2);
    const source = await sourceOf(full);
    await finishRemovals(full.storage, 2);
    const target = await targetOf(empty);
    await copy(source, target);
    await empty.storage.migrate();
    const { users, documents } = empty.storage;
    expect(await documents.count(books, EVERYTHING, null)).toBe(4);
    expect([await users.find(ann.id), await users.findByKey('ann')]).toEqual([null, null]);
    expect(await finishRemovals(empty.storage, 2)).toBeGreaterThan(0);
    expect(await documents.count(books, EVERYTHING, null)).toBe(1);
  });

  it('has collections whose removal has begun, and it can be finished there', async () => {
    const [full, empty] = [await opened(), await opened()];
    const ann = await addUser(full.storage, 'Ann');
    const [books, films] = [await addCollection(full.storage, 'Books'), await addCollection(full.storage, 'Films')];
    for (const name of [books, books, books, films]) await full.storage.documents.add(newDocument(ann.id, name));
    await full.storage.collections.remove(books);
    const source = await sourceOf(full);
    const target = await targetOf(empty);
    await copy(source, target);
    await empty.storage.migrate();
    const { collections, documents, users } = empty.storage;
    expect(await collections.names()).toEqual(['Films']);
    expect(await documents.count(books, EVERYTHING, null)).toBeNull();
    expect(await finishRemovals(empty.storage, 2)).toBeGreaterThan(0);
    expect(await users.belongings(ann.id, 100)).toMatchObject({ documents: 1 });
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
    await maintain(full.storage, 2);
    const source = await sourceOf(full);
    const target = await targetOf(empty);
    await copy(source, target);
    await empty.storage.migrate();
    const { groups, documents } = empty.storage;
    const scope = { everything: false, owner: null, principals, followed: false, ruled: 0 };
    expect(await documents.count(books, scope, null)).toBe(3);
    expect(await groups.find(id, ann.id)).toBeNull();
    await finishRemovals(empty.storage, 2);
    expect(await documents.count(books, scope, null)).toBe(0);
  });
}
