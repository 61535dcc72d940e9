import { type AccessScope, NOBODY, RIGHTS, type Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import {
  ANYBODY,
  accessScopeOfUser,
  addCollection,
  addUser,
  EVERYTHING,
  NOT_RESERVED,
  NOW,
  newDocument,
  UNSORTED,
  userName,
  uuid,
} from './fixtures.ts';
import { finishRemovals } from './maintenance.ts';

const append =
  (item: number | string) =>
  (content: string): string =>
    JSON.stringify([...JSON.parse(content), item]);

async function prepare(storage: Storage, content = '[]') {
  const collection = await addCollection(storage, 'Books');
  const [ann, bob] = [await addUser(storage, 'Ann'), await addUser(storage, 'Bob')];
  const grants = [{ principal: `u:${bob.id}`, rights: RIGHTS.read }];
  const document = newDocument(ann.id, collection, { content, grants });
  await storage.documents.add(document);
  return { here: { collection, id: document.id }, owner: accessScopeOfUser(ann.id), reader: accessScopeOfUser(bob.id) };
}

/** Tests edits: changes that depend on the current content. */
export function documentEditsContract(current: () => Storage): void {
  const contentOf = async (here: { collection: string; id: string }) =>
    (await current().documents.find(here, EVERYTHING))?.content;

  it('record who wrote the current version, by the present name', async () => {
    const { here, owner } = await prepare(current());
    const { collection } = here;
    const cleo = await addUser(current(), 'Cleo');
    const names = async () => {
      const byId = { ids: [here.id], scope: EVERYTHING, openCollections: [] };
      const list = { collection, scope: EVERYTHING, ...UNSORTED, after: null, skip: 0, limit: 1 };
      const sorted = { ...list, order: [{ path: ['_updated_by'], descending: false }] } as const;
      const found = await Promise.all([
        current().documents.find(here, EVERYTHING),
        current().documents.find(here, owner),
        current()
          .documents.lookUp(byId)
          .then(([document]) => document),
        current()
          .documents.list(list)
          .then((documents) => documents?.[0]),
        current()
          .documents.list(sorted)
          .then((documents) => documents?.[0]),
      ]);
      return Array.from(new Set(found.map((document) => document?.updatedBy)));
    };
    const change = { by: cleo.id, updated: NOW, version: null };
    expect(await names()).toEqual(['Ann']);
    const replaced = { ...change, content: '[1]' };
    expect(await current().documents.replace(here, EVERYTHING, replaced)).toMatchObject({
      author: 'Ann',
      updatedBy: 'Cleo',
    });
    expect(await names()).toEqual(['Cleo']);
    await current().users.rename(cleo.id, userName('Clio'), NOT_RESERVED);
    expect(await names()).toEqual(['Clio']);
    const byAuthor = { ...change, by: owner.owner ?? NOBODY, change: append(2) };
    expect(await current().documents.edit(here, owner, byAuthor)).toMatchObject({ updatedBy: 'Ann' });
    expect(await names()).toEqual(['Ann']);
    expect(await current().documents.edit(here, owner, { ...change, change: append(3) })).toMatchObject({
      updatedBy: 'Clio',
    });
    await current().users.remove(cleo.id);
    expect(await names()).toEqual([null]);
    await finishRemovals(current(), 100);
    expect(await names()).toEqual([null]);
  });

  it('stores the changed content, and increments the version', async () => {
    const { here, owner } = await prepare(current(), '{"10":1,"2":"é \\" 😀"}');
    const replaceOne = (content: string) => content.replace('1', '-1e-8');
    const edit = { change: replaceOne, by: NOBODY, updated: NOW + 7, version: null };
    const expected = {
      version: 2,
      content: '{"-1e-80":1,"2":"é \\" 😀"}',
      created: NOW,
      updated: NOW + 7,
      author: 'Ann',
    };
    expect(await current().documents.edit(here, owner, edit)).toMatchObject(expected);
    expect(await current().documents.find(here, EVERYTHING)).toMatchObject(expected);
    const anywhere = { collection: null, id: here.id };
    expect(await current().documents.edit(anywhere, EVERYTHING, edit)).toMatchObject({ version: 3 });
  });

  it('says of a changed document whether the caller may read it', async () => {
    const { documents } = current();
    const { here, owner, reader } = await prepare(current());
    const writer = { ...accessScopeOfUser(uuid()), principals: ['r:writers'] };
    await documents.grant(here, owner, { principal: 'r:writers', rights: RIGHTS.update });
    const seen: boolean[] = [];
    const change = (content: string, isReadable: boolean) => {
      seen.push(isReadable);
      return append(1)(content);
    };
    const scopes: [scope: AccessScope, isReadable: boolean][] = [
      [owner, true],
      [EVERYTHING, true],
      [writer, false],
      [{ ...writer, ruled: RIGHTS.read }, true],
      [{ ...reader, ruled: RIGHTS.update }, true],
      [{ ...ANYBODY, ruled: RIGHTS.update }, false],
      [{ ...writer, principals: [...writer.principals, ...reader.principals] }, true],
    ];
    for (const [scope, isReadable] of scopes) {
      const replaced = await documents.replace(here, scope, { content: '[]', by: NOBODY, updated: NOW, version: null });
      expect(replaced).toMatchObject({ content: '[]', isReadable });
      const edited = await documents.edit(here, scope, { change, by: NOBODY, updated: NOW, version: null });
      expect(edited).toMatchObject({ content: '[1]', isReadable });
    }
    expect(seen).toEqual(scopes.map(([, isReadable]) => isReadable));
    const pushes = Array.from({ length: 10 }, (_, i) =>
      documents.edit(here, writer, { change: append(i), by: NOBODY, updated: NOW, version: null }),
    );
    for (const pushed of await Promise.all(pushes)) expect(pushed).toMatchObject({ isReadable: false });
  });

  it('does not call `change` when the edit is denied or the document is missing', async () => {
    const { here, owner, reader } = await prepare(current());
    let asked = 0;
    const change = () => String(asked++);
    const edit = { change, by: NOBODY, updated: NOW, version: null };
    expect(await current().documents.edit(here, reader, edit)).toBe('denied');
    expect(await current().documents.edit(here, ANYBODY, edit)).toBe('denied');
    expect(await current().documents.edit({ ...here, id: uuid() }, owner, edit)).toBe('missing');
    expect(await current().documents.edit({ ...here, collection: 'nowhere' }, owner, edit)).toBe('missing');
    expect(await current().documents.edit(here, owner, { ...edit, version: 2 })).toBe('stale');
    expect([asked, await contentOf(here)]).toEqual([0, '[]']);
  });

  it('changes nothing when `change` throws, and passes the error on', async () => {
    const { here, owner } = await prepare(current());
    const reason = new Error('no such thing');
    const change = () => {
      throw reason;
    };
    await expect(
      current().documents.edit(here, owner, { change, by: NOBODY, updated: NOW, version: null }),
    ).rejects.toBe(reason);
    expect(await current().documents.find(here, EVERYTHING)).toMatchObject({ version: 1, content: '[]' });
  });

  it('loses none of many concurrent edits', async () => {
    const { here, owner } = await prepare(current());
    const items = Array.from({ length: 40 }, (_, i) => i);
    const results = await Promise.all(
      items.map((item) =>
        current().documents.edit(here, owner, { change: append(item), by: NOBODY, updated: NOW, version: null }),
      ),
    );
    const versions = results.map((result) => (typeof result === 'object' ? result.version : result));
    expect(versions.toSorted((a, b) => Number(a) - Number(b))).toEqual(items.map((item) => item + 2));
    const stored = JSON.parse((await contentOf(here)) ?? '');
    expect(stored.toSorted((a: number, b: number) => a - b)).toEqual(items);
  });

  it('fails one of many concurrent edits without harm to the others', async () => {
    const { here, owner } = await prepare(current());
    const edits = Array.from({ length: 12 }, (_, i) => {
      const change = (content: string) => {
        if (i % 3 === 0 && content !== '[]') throw new Error('too late');
        return append(i)(content);
      };
      return current().documents.edit(here, owner, { change, by: NOBODY, updated: NOW, version: null });
    });
    const results = await Promise.allSettled(edits);
    const landed = results.flatMap((result, i) => (result.status === 'fulfilled' ? [i] : []));
    expect(landed).toEqual(expect.arrayContaining([1, 2, 4, 5, 7, 8, 10, 11]));
    const stored = JSON.parse((await contentOf(here)) ?? '');
    expect(stored.toSorted((a: number, b: number) => a - b)).toEqual(landed);
  });

  it('lets exactly one of many concurrent edits of one version succeed', async () => {
    const { here, owner } = await prepare(current());
    const edits = Array.from({ length: 10 }, (_, i) =>
      current().documents.edit(here, owner, { change: append(i), by: NOBODY, updated: NOW, version: 1 }),
    );
    const results = await Promise.all(edits);
    expect(results.filter((result) => result === 'stale')).toHaveLength(9);
    expect(JSON.parse((await contentOf(here)) ?? '')).toHaveLength(1);
  });

  it('sees concurrent replacements: it never edits old content', async () => {
    const { here, owner } = await prepare(current());
    const change = { content: '["new"]', by: NOBODY, updated: NOW, version: null };
    await Promise.all([
      current().documents.edit(here, owner, { change: append('a'), by: NOBODY, updated: NOW, version: null }),
      current().documents.replace(here, owner, change),
      current().documents.edit(here, owner, { change: append('b'), by: NOBODY, updated: NOW, version: null }),
    ]);
    expect(await current().documents.find(here, EVERYTHING)).toMatchObject({ version: 4 });
    expect(JSON.parse((await contentOf(here)) ?? '')).toContain('new');
  });

  it('leaves the document as it is if there is no new content', async () => {
    const { here, owner } = await prepare(current());
    const { rights: _rights, ...before } = (await current().documents.find(here, EVERYTHING)) ?? {};
    const edit = { change: () => null, by: NOBODY, updated: NOW + 1, version: null };
    expect(await current().documents.edit(here, owner, edit)).toEqual({ ...before, isReadable: true });
    expect(await current().documents.find(here, EVERYTHING)).toMatchObject({ ...before });
    expect(await current().documents.edit(here, owner, { ...edit, version: 2 })).toBe('stale');
    expect(await current().documents.edit(here, ANYBODY, edit)).toBe('denied');
  });

  it('is rolled back with its transaction', async () => {
    const { here, owner } = await prepare(current());
    const edit = { change: append(1), by: NOBODY, updated: NOW, version: null };
    const work = current().transaction(async ({ documents }) => {
      await documents.edit(here, owner, edit);
      expect(await documents.edit(here, owner, edit)).toMatchObject({ version: 3, content: '[1,1]' });
      throw new Error('undo');
    });
    await expect(work).rejects.toThrow('undo');
    expect(await contentOf(here)).toBe('[]');
  });
}
