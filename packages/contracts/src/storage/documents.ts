import { NOBODY, RIGHTS, type Storage } from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../any-text.ts';
import {
  ANYBODY,
  accessScopeOfUser,
  addCollection,
  added,
  addUser,
  behind,
  EVERYTHING,
  NOW,
  newDocument,
  newUser,
  UNSORTED,
  uuid,
} from './fixtures.ts';

const ALL_RIGHTS = 15;

async function prepare(storage: Storage) {
  const collection = await addCollection(storage, 'Books');
  const [ann, bob] = [await addUser(storage, 'Ann'), await addUser(storage, 'Bob')];
  return { collection, ann, bob };
}

export function documentsContract(current: () => Storage): void {
  it('stores a document and returns it with its metadata', async () => {
    const { collection, ann } = await prepare(current());
    const document = newDocument(ann.id, collection, { content: '{"b":1,"a":2}' });
    const expected = {
      id: document.id,
      collection: 'Books',
      author: 'Ann',
      updatedBy: 'Ann',
      version: 1,
      created: NOW,
      updated: NOW,
      content: '{"b":1,"a":2}',
    };
    expect(await current().documents.add(document)).toEqual(expected);
    const here = { collection, id: document.id };
    expect(await current().documents.find(here, EVERYTHING)).toEqual({ ...expected, rights: ALL_RIGHTS });
    expect(await current().documents.find({ ...here, collection: null }, EVERYTHING)).toMatchObject(expected);
  });

  it('keeps every character of the content', async () => {
    const { collection, ann } = await prepare(current());
    const contents = [
      '{}',
      '{"":{"":[]}}',
      '{"10":1,"2":2,"a.b":3,"$set":{"_x":1}}',
      '{"__proto__":{"admin":true},"constructor":1}',
      '{"n":[9007199254740991,-1e-8,0,1.5,1e+300]}',
      '{"s":"\\u0001 \\" \\\\ \\n é 漢 😀 \u2028 \u007f"}',
      `{"deep":${'['.repeat(199)}${']'.repeat(199)}}`,
      `{"long":"${'x'.repeat(200_000)}"}`,
      '{"quote":"\'; drop table documents; --"}',
    ];
    for (const content of contents) {
      const document = newDocument(ann.id, collection, { content });
      expect(added(await current().documents.add(document)).content).toBe(content);
      expect((await current().documents.find({ collection, id: document.id }, EVERYTHING))?.content).toBe(content);
    }
  });

  it('keeps any JSON object character for character', async () => {
    const { collection, ann } = await prepare(current());
    const wellFormed = (text: string) => !text.includes('\\u0000') && !/\\ud[89a-f]/.test(text);
    const object = fc.dictionary(anyText(), fc.jsonValue()).map((value) => JSON.stringify(value));
    await fc.assert(
      fc.asyncProperty(object.filter(wellFormed), async (content) => {
        const document = newDocument(ann.id, collection, { content });
        await current().documents.add(document);
        const found = await current().documents.find({ collection, id: document.id }, EVERYTHING);
        expect(found?.content).toBe(content);
      }),
      { numRuns: 100 },
    );
  });

  it('refuses a document in an unknown collection, and one of an unknown author', async () => {
    const { collection, ann } = await prepare(current());
    expect(await current().documents.add(newDocument(ann.id, 'nowhere'))).toBeNull();
    const ghosts = newDocument(newUser('ghost').id, collection);
    await expect(current().documents.add(ghosts)).rejects.toMatchObject({ code: 'user.not_found' });
    expect(await current().documents.count(collection, EVERYTHING, null)).toBe(0);
  });

  it('finds a document only in its own collection', async () => {
    const { collection, ann } = await prepare(current());
    const other = await addCollection(current(), 'films');
    const document = newDocument(ann.id, collection);
    await current().documents.add(document);
    for (const address of [
      { collection: other, id: document.id },
      { collection: 'nowhere', id: document.id },
      { collection, id: uuid() },
      { collection: null, id: uuid() },
    ]) {
      expect(await current().documents.find(address, EVERYTHING)).toBeNull();
      const change = { content: '{}', by: NOBODY, updated: NOW, version: null };
      expect(await current().documents.replace(address, EVERYTHING, change)).toBe('missing');
      expect(await current().documents.remove(address, EVERYTHING)).toBe('missing');
      const grant = { principal: 'r:anonymous', rights: 1 };
      expect(await current().documents.grant(address, EVERYTHING, grant)).toBe('missing');
      const revoked = { principal: 'r:anonymous', action: 'read' } as const;
      expect(await current().documents.revoke(address, EVERYTHING, revoked)).toBe('missing');
    }
  });

  describe('replace', () => {
    it('replaces the content and increments the version', async () => {
      const { collection, ann } = await prepare(current());
      const document = newDocument(ann.id, collection);
      await current().documents.add(document);
      const here = { collection, id: document.id };
      const change = { content: '{"b":2}', by: NOBODY, updated: NOW + 7, version: null };
      const expected = { version: 2, content: '{"b":2}', created: NOW, updated: NOW + 7, author: 'Ann' };
      expect(await current().documents.replace(here, accessScopeOfUser(ann.id), change)).toMatchObject(expected);
      expect(await current().documents.find(here, EVERYTHING)).toMatchObject(expected);
    });

    it('refuses a version that is not the current one', async () => {
      const { collection, ann } = await prepare(current());
      const document = newDocument(ann.id, collection);
      await current().documents.add(document);
      const here = { collection, id: document.id };
      const replace = (version: number) =>
        current().documents.replace(here, EVERYTHING, { content: '{"b":2}', by: NOBODY, updated: NOW, version });
      expect(await replace(2)).toBe('stale');
      expect(await replace(1)).toMatchObject({ version: 2 });
      expect(await replace(1)).toBe('stale');
    });

    it('lets exactly one of many concurrent changes of one version succeed', async () => {
      const { collection, ann } = await prepare(current());
      const document = newDocument(ann.id, collection);
      await current().documents.add(document);
      const changes = Array.from({ length: 20 }, (_, i) =>
        current().documents.replace({ collection, id: document.id }, accessScopeOfUser(ann.id), {
          content: `{"i":${i}}`,
          by: NOBODY,
          updated: NOW,
          version: 1,
        }),
      );
      const results = await Promise.all(changes);
      expect(results.filter((result) => result === 'stale')).toHaveLength(19);
      const winner = results.find((result) => typeof result === 'object');
      const { content, version } = winner ?? {};
      const stored = await current().documents.find({ collection, id: document.id }, EVERYTHING);
      expect(stored).toMatchObject({ content, version });
    });

    it('applies every concurrent change that names no version', async () => {
      const { collection, ann } = await prepare(current());
      const document = newDocument(ann.id, collection);
      await current().documents.add(document);
      const here = { collection, id: document.id };
      const change = { content: '{}', by: NOBODY, updated: NOW, version: null };
      await Promise.all(
        Array.from({ length: 20 }, () => current().documents.replace(here, accessScopeOfUser(ann.id), change)),
      );
      expect(await current().documents.find(here, EVERYTHING)).toMatchObject({ version: 21 });
    });
  });

  describe('rights', () => {
    it('come from ownership, from grants to the user or one of the roles, and from a scope with everything', async () => {
      const { collection, ann, bob } = await prepare(current());
      const grants = [
        { principal: `u:${bob.id}`, rights: RIGHTS.update },
        { principal: 'r:registereduser', rights: RIGHTS.read },
        { principal: 'r:editors', rights: RIGHTS.delete },
      ];
      const document = newDocument(ann.id, collection, { grants });
      await current().documents.add(document);
      const rights = async (scope: typeof EVERYTHING) =>
        (await current().documents.find({ collection, id: document.id }, scope))?.rights;
      expect(await rights(EVERYTHING)).toBe(ALL_RIGHTS);
      expect(await rights(accessScopeOfUser(ann.id))).toBe(ALL_RIGHTS);
      expect(await rights(accessScopeOfUser(bob.id))).toBe(RIGHTS.update | RIGHTS.read);
      expect(await rights(accessScopeOfUser(bob.id, 'editors'))).toBe(RIGHTS.update | RIGHTS.read | RIGHTS.delete);
      expect(await rights(accessScopeOfUser(uuid()))).toBe(RIGHTS.read);
      expect(await rights(ANYBODY)).toBe(0);
    });

    it.each([
      ['read', 'denied', 'denied', 'denied'],
      ['update', 'done', 'denied', 'denied'],
      ['delete', 'denied', 'done', 'denied'],
      ['all', 'done', 'done', 'done'],
    ] as const)('%s allows exactly its own action', async (action, update, remove, grant) => {
      const { collection, ann, bob } = await prepare(current());
      const grants = [{ principal: `u:${bob.id}`, rights: RIGHTS[action] }];
      const attempt = async (work: (id: string) => Promise<unknown>) => {
        const document = newDocument(ann.id, collection, { grants });
        await current().documents.add(document);
        return (await work(document.id)) === 'denied' ? 'denied' : 'done';
      };
      const scope = accessScopeOfUser(bob.id);
      const change = { content: '{}', by: NOBODY, updated: NOW, version: null };
      expect(await attempt((id) => current().documents.replace({ collection, id }, scope, change))).toBe(update);
      expect(await attempt((id) => current().documents.remove({ collection, id }, scope))).toBe(remove);
      const given = { principal: 'r:anonymous', rights: RIGHTS.read };
      expect(await attempt((id) => current().documents.grant({ collection, id }, scope, given))).toBe(grant);
      const revoked = { principal: 'r:anonymous', action: 'read' } as const;
      expect(await attempt((id) => current().documents.revoke({ collection, id }, scope, revoked))).toBe(grant);
    });

    it('are 0 for anonymous callers without grants', async () => {
      const { collection, ann } = await prepare(current());
      const document = newDocument(ann.id, collection);
      await current().documents.add(document);
      const here = { collection, id: document.id };
      expect(await current().documents.find(here, ANYBODY)).toMatchObject({ rights: 0 });
      expect(await current().documents.remove(here, ANYBODY)).toBe('denied');
    });

    it('add up, and are revoked one by one', async () => {
      const { collection, ann, bob } = await prepare(current());
      const document = newDocument(ann.id, collection);
      await current().documents.add(document);
      const here = { collection, id: document.id };
      const owner = accessScopeOfUser(ann.id);
      const principal = `u:${bob.id}`;
      const held = async () => (await current().documents.find(here, accessScopeOfUser(bob.id)))?.rights;
      for (const rights of [RIGHTS.read, RIGHTS.all, RIGHTS.read]) {
        expect(await current().documents.grant(here, owner, { principal, rights })).toBe('granted');
      }
      expect(await held()).toBe(RIGHTS.read | RIGHTS.all);
      expect(await current().documents.revoke(here, owner, { principal, action: 'read' })).toBe('revoked');
      expect(await held()).toBe(RIGHTS.all);
      expect(await current().documents.revoke(here, owner, { principal, action: 'update' })).toBe('revoked');
      expect(await current().documents.revoke(here, owner, { principal, action: 'all' })).toBe('revoked');
      expect(await current().documents.revoke(here, owner, { principal, action: 'all' })).toBe('absent');
      expect(await held()).toBe(0);
      expect((await current().documents.find(here, owner))?.version).toBe(1);
    });

    it('are all kept when they are granted concurrently', async () => {
      const { collection, ann, bob } = await prepare(current());
      const document = newDocument(ann.id, collection);
      await current().documents.add(document);
      const here = { collection, id: document.id };
      const grants = Object.values(RIGHTS).map((rights) =>
        current().documents.grant(here, accessScopeOfUser(ann.id), { principal: `u:${bob.id}`, rights }),
      );
      await Promise.all(grants);
      expect((await current().documents.find(here, accessScopeOfUser(bob.id)))?.rights).toBe(ALL_RIGHTS);
    });

    it('are removed with the document', async () => {
      const { collection, ann } = await prepare(current());
      const document = newDocument(ann.id, collection, { grants: [{ principal: 'r:anonymous', rights: 1 }] });
      await current().documents.add(document);
      expect(await current().documents.remove({ collection, id: document.id }, accessScopeOfUser(ann.id))).toBe(
        'removed',
      );
      expect(
        await current().documents.list({ collection, scope: ANYBODY, ...UNSORTED, after: null, skip: 0, limit: 10 }),
      ).toEqual([]);
      await current().documents.add({ ...document, grants: [] });
      expect(await current().documents.count(collection, ANYBODY, null)).toBe(0);
    });
  });

  describe('list and count', () => {
    it('contain the documents that the access scope lets read, each once, in the order of the ids', async () => {
      const { collection, ann, bob } = await prepare(current());
      const grantsOf = [
        [],
        [{ principal: `u:${bob.id}`, rights: RIGHTS.read }],
        [{ principal: `u:${bob.id}`, rights: RIGHTS.update }],
        [
          { principal: 'r:anonymous', rights: RIGHTS.all },
          { principal: `u:${bob.id}`, rights: RIGHTS.read },
        ],
        [{ principal: 'r:editors', rights: RIGHTS.read }],
      ];
      const documents = grantsOf.map((grants, i) => newDocument(ann.id, collection, { id: uuid(NOW + i), grants }));
      const own = newDocument(bob.id, collection, {
        id: uuid(NOW + 9),
        grants: [{ principal: 'r:anonymous', rights: 1 }],
      });
      for (const document of [own, ...documents.toReversed()]) await current().documents.add(document);
      const all = [...documents, own].map(({ id }) => id);
      const seen = async (scope: typeof EVERYTHING) => {
        const listed = await current().documents.list({
          collection,
          scope,
          ...UNSORTED,
          after: null,
          skip: 0,
          limit: 100,
        });
        expect(await current().documents.count(collection, scope, null)).toBe(listed?.length);
        return listed?.map(({ id }) => all.indexOf(id));
      };
      expect(await seen(EVERYTHING)).toEqual([0, 1, 2, 3, 4, 5]);
      expect(await seen(accessScopeOfUser(ann.id))).toEqual([0, 1, 2, 3, 4, 5]);
      expect(await seen(accessScopeOfUser(bob.id))).toEqual([1, 3, 5]);
      expect(await seen(accessScopeOfUser(bob.id, 'editors'))).toEqual([1, 3, 4, 5]);
      expect(await seen(ANYBODY)).toEqual([3, 5]);
    });

    it('have pages without gaps or repetitions', async () => {
      const { collection, ann, bob } = await prepare(current());
      const grants = [{ principal: `u:${bob.id}`, rights: RIGHTS.read }];
      const ids: string[] = [];
      for (let i = 0; i < 25; i++) {
        const document = newDocument(i % 2 === 0 ? bob.id : ann.id, collection, { id: uuid(NOW + i), grants });
        await current().documents.add(document);
        ids.push(document.id);
      }
      for (const scope of [EVERYTHING, accessScopeOfUser(bob.id)]) {
        const list = async (after: string | null, skip: number, limit: number) =>
          (await current().documents.list({ collection, scope, ...UNSORTED, after: behind(after), skip, limit }))?.map(
            ({ id }) => id,
          );
        expect(await list(null, 0, 10)).toEqual(ids.slice(0, 10));
        expect(await list(ids[9] ?? null, 0, 10)).toEqual(ids.slice(10, 20));
        expect(await list(ids[19] ?? null, 0, 10)).toEqual(ids.slice(20));
        expect(await list(ids[24] ?? null, 0, 10)).toEqual([]);
        expect(await list(null, 7, 10)).toEqual(ids.slice(7, 17));
        expect(await list(ids[4] ?? null, 18, 10)).toEqual(ids.slice(23));
        expect(await list(null, 100, 10)).toEqual([]);
      }
    });

    it('distinguish an empty collection from a missing one', async () => {
      const { collection } = await prepare(current());
      const list = (name: string, scope = EVERYTHING) =>
        current().documents.list({ collection: name, scope, ...UNSORTED, after: null, skip: 0, limit: 10 });
      expect(await list(collection)).toEqual([]);
      expect(await list(collection, ANYBODY)).toEqual([]);
      expect(await list('nowhere')).toBeNull();
      expect(await list('nowhere', ANYBODY)).toBeNull();
      expect(await current().documents.count(collection, ANYBODY, null)).toBe(0);
      expect(await current().documents.count('nowhere', ANYBODY, null)).toBeNull();
    });
  });
}
