import { RIGHTS, type Storage, type Stores } from '@baobab/core';
import { expect, it } from 'vitest';
import { addCollection, added, addUser, EVERYTHING, newDocument, newFile } from './fixtures.ts';

/** Time for a statement to reach the database, where it waits for the transaction. Milliseconds. */
const HOLD_MS = 100;

const READ = { principal: 'r:registereduser', rights: RIGHTS.read } as const;

/** Tests references to objects that are removed concurrently. */
export function removalsContract(current: () => Storage): void {
  /** Runs `second` after `first` has been executed in a transaction, but before that transaction commits. */
  async function during<T>(first: (stores: Stores) => Promise<unknown>, second: () => Promise<T>): Promise<T> {
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const transaction = current().transaction(async (stores) => {
      await first(stores);
      begin();
      await new Promise((resolve) => setTimeout(resolve, HOLD_MS));
    });
    await Promise.race([begun, transaction]);
    const [result] = await Promise.all([second(), transaction]);
    return result;
  }

  async function prepare() {
    const [books, films] = [await addCollection(current(), 'Books'), await addCollection(current(), 'Films')];
    return { books, films, ann: await addUser(current(), 'Ann') };
  }

  it('make adding a document to the collection resolve to null', async () => {
    const { books, ann } = await prepare();
    const remove = ({ collections }: Stores) => collections.remove(books);
    expect(await during(remove, () => current().documents.add(newDocument(ann.id, books)))).toBeNull();
  });

  it('make it resolve to null inside a transaction too, which continues', async () => {
    const { books, films, ann } = await prepare();
    const remove = ({ collections }: Stores) => collections.remove(books);
    const results = await during(remove, () =>
      current().transaction(async ({ documents }) => {
        const before = await documents.add(newDocument(ann.id, films));
        const lost = await documents.add(newDocument(ann.id, books, { grants: [READ] }));
        const after = await documents.add(newDocument(ann.id, films));
        return [added(before).collection, lost, added(after).collection];
      }),
    );
    expect(results).toEqual(['Films', null, 'Films']);
    expect(await current().documents.count(films, EVERYTHING, null)).toBe(2);
  });

  it('make grants on a document or file resolve to `missing`, and the transaction continues', async () => {
    const { books, ann } = await prepare();
    const document = newDocument(ann.id, books);
    const file = newFile(ann.id);
    await current().documents.add(document);
    await current().files.add(file);
    const granted = await during(
      async ({ documents, files }) => {
        await documents.remove({ collection: books, id: document.id }, EVERYTHING);
        await files.remove(file.id, EVERYTHING);
      },
      () =>
        current().transaction(async ({ documents, files }) => [
          await documents.grant({ collection: books, id: document.id }, EVERYTHING, READ),
          await files.grant(file.id, EVERYTHING, READ),
        ]),
    );
    expect(granted).toEqual(['missing', 'missing']);
  });

  it('make declaring an index on the collection resolve to null', async () => {
    const { books } = await prepare();
    const declare = () => current().indexes.declare({ collection: books, paths: [['title']], name: 'title' }, 10);
    expect(await during(({ collections }) => collections.remove(books), declare)).toBeNull();
  });

  it('make giving the role to a user fail', async () => {
    const { ann } = await prepare();
    await current().roles.add({ name: 'Editors', description: '' });
    const change = () => current().users.update(ann.id, { role: 'Editors' });
    const changed = during(({ roles }) => roles.remove('editors'), change);
    await expect(changed).rejects.toMatchObject({ code: 'role.not_found' });
  });

  it('take the role also from users who are being given it', async () => {
    const { ann } = await prepare();
    await current().roles.add({ name: 'Editors', description: '' });
    const give = ({ users }: Stores) => users.update(ann.id, { role: 'Editors' });
    expect(await during(give, () => current().roles.remove('editors'))).toBe(true);
    expect((await current().users.find(ann.id))?.role).toBe('registereduser');
  });
}
