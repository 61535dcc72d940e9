import {
  type AccessScope,
  type DocumentLookUp,
  type Grant,
  type Principal,
  RIGHTS,
  rolePrincipal,
  type Storage,
  userPrincipal,
  type ViewedUser,
} from '@baobab/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  ANYBODY,
  accessScopeOfUser,
  addCollection,
  addUser,
  EVERYTHING,
  newDocument,
  newFile,
  newUser,
  uuid,
} from './fixtures.ts';

const LONG = 70_000;
const BOUNDS = [1, 1_000, LONG, 3 * LONG, 10 * LONG];
/** Returns contents of several lengths, some of them with three bytes per character. */
const contentOf = (at: number) => {
  const length = at % 5 === 3 ? LONG : 10 * (at % 4);
  return `{"n":${at},"text":"${(at % 3 === 1 ? '木' : 'a').repeat(length)}"}`;
};

/** Returns the rows up to and including the one that exceeds the limit, and at least two. */
function withinBytes<T>(rows: readonly T[], textsOf: (row: T) => readonly string[], maxBytes: number): T[] {
  let bytes = 0;
  const end = rows.findIndex((row, at) => {
    for (const text of textsOf(row)) bytes += Buffer.byteLength(text);
    return at > 0 && bytes > maxBytes;
  });
  return end === -1 ? [...rows] : rows.slice(0, end + 1);
}

function grantsOf(at: number, principal: Principal | undefined): Grant[] {
  const reading = at % 2 === 0 ? RIGHTS.read : RIGHTS.all;
  return principal === undefined ? [] : [{ principal, rights: at % 11 === 5 ? RIGHTS.update : reading }];
}

export function lookUpsContract(current: () => Storage): void {
  /** Adds documents of two users in two collections, with every kind of grant. */
  async function prepare() {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    const collections = [await addCollection(current(), 'Books'), await addCollection(current(), 'films')];
    await current().roles.add({ name: 'Editors', description: '' });
    const principals = [
      userPrincipal(bob.id),
      ...['registereduser', 'anonymous', 'Editors', 'BackOffice'].map(rolePrincipal),
    ];
    const ids: string[] = [];
    for (let at = 0; at < 40; at++) {
      const author = at % 6 === 0 ? bob : ann;
      const grants = grantsOf(at, principals[at % 7]);
      const document = newDocument(author.id, collections[at % 2] ?? '', { content: contentOf(at), grants });
      await current().documents.add(document);
      ids.push(document.id);
    }
    const ofBob = accessScopeOfUser(bob.id, 'Editors');
    const scopes: AccessScope[] = [
      EVERYTHING,
      ANYBODY,
      ofBob,
      { ...ofBob, followed: true },
      accessScopeOfUser(newUser('Eve').id),
    ];
    return { ann, bob, collections, ids, scopes };
  }

  /** Returns the results of single reads of these documents. */
  async function readOne({ ids, scope, openCollections }: DocumentLookUp) {
    const found = await Promise.all(ids.map((id) => current().documents.find({ collection: null, id }, scope)));
    return found.flatMap((document) => {
      if (document === null) return [];
      const { rights, ...rest } = document;
      const isOpen = openCollections.includes(document.collection.toLowerCase());
      return isOpen || (rights & (RIGHTS.read | RIGHTS.all)) !== 0 ? [rest] : [];
    });
  }

  it('of documents equal single reads, in the order of the ids, for every access scope', async () => {
    const { ann, bob, collections, ids, scopes } = await prepare();
    await current().follows.add(bob.id, ann.id);
    const file = newFile(ann.id);
    await current().files.add(file);
    const strangers = [uuid(), file.id, ann.id];
    const some = fc.uniqueArray(fc.constantFrom(...ids, ...strangers), { maxLength: 45 });
    const open = fc.subarray(collections);
    await fc.assert(
      fc.asyncProperty(some, fc.constantFrom(...scopes), open, async (wanted, scope, openCollections) => {
        const lookUp = { ids: wanted, scope, openCollections };
        expect(await current().documents.lookUp(lookUp)).toEqual(await readOne(lookUp));
      }),
      { numRuns: 60 },
    );
  });

  it('of followers end with the relation', async () => {
    const { ann, bob, ids, scopes } = await prepare();
    const [, , scope = ANYBODY, asFollower = ANYBODY] = scopes;
    const count = async (by: AccessScope) =>
      (await current().documents.lookUp({ ids, scope: by, openCollections: [] })).length;
    const before = await count(asFollower);
    expect(before).toBe(await count(scope));
    await current().follows.add(bob.id, ann.id);
    expect([await count(asFollower), await count(scope)]).toEqual([ids.length, before]);
    await current().follows.remove(bob.id, ann.id);
    expect(await count(asFollower)).toBe(before);
  });

  it('read 1,000 documents at once', async () => {
    const ann = await addUser(current(), 'Ann');
    const collection = await addCollection(current(), 'books');
    const ids = Array.from({ length: 1000 }, () => uuid());
    await current().transaction(async ({ documents }) => {
      for (const id of ids) await documents.add(newDocument(ann.id, collection, { id }));
    });
    const wanted = ids.toReversed();
    const found = await current().documents.lookUp({ ids: wanted, scope: EVERYTHING, openCollections: [] });
    expect(found.map(({ id }) => id)).toEqual(wanted);
  });

  it('of documents end at the limit of bytes', async () => {
    const { ids, scopes } = await prepare();
    for (const scope of scopes) {
      for (const wanted of [ids, ids.toReversed()]) {
        const all = await current().documents.lookUp({ ids: wanted, scope, openCollections: [] });
        for (const maxBytes of BOUNDS) {
          const found = await current().documents.lookUp({ ids: wanted, scope, openCollections: [], maxBytes });
          expect(found, `${maxBytes}`).toEqual(withinBytes(all, ({ content }) => [content], maxBytes));
        }
      }
    }
  });

  it('see what a transaction has written', async () => {
    const ann = await addUser(current(), 'Ann');
    const collection = await addCollection(current(), 'books');
    await current().transaction(async (stores) => {
      const document = newDocument(ann.id, collection);
      await stores.documents.add(document);
      const lookUp = { ids: [document.id], scope: accessScopeOfUser(ann.id), openCollections: [] };
      expect((await stores.documents.lookUp(lookUp)).map(({ id }) => id)).toEqual([document.id]);
      expect(await stores.users.lookUp({ keys: ['ann'], viewer: null })).toHaveLength(1);
    });
  });

  async function viewOf(key: string, viewer: string | null) {
    const user = await current().users.view(key, viewer);
    return user === null ? [] : [{ ...user, key }];
  }

  it('of users equal single views, in the order of the keys, and end at the limit of bytes', async () => {
    const keys: string[] = [];
    for (let at = 0; at < 12; at++) {
      const { sections: none, ...user } = newUser(`U${at}`);
      const section = at % 2 === 0 ? 'visibleByTheUser' : 'visibleByAnonymousUsers';
      await current().users.add({ ...user, sections: { ...none, [section]: contentOf(at) } });
      keys.push(user.key);
    }
    const viewer = await addUser(current(), 'viewer');
    const followed = await current().users.findByKey('u3');
    await current().follows.add(viewer.id, followed?.id ?? '');
    for (const by of [viewer.id, null]) {
      for (const wanted of [keys.toReversed(), ['nobody', 'u5', 'u3', "x'", 'u1'], []]) {
        const views = await Promise.all(wanted.map((key) => viewOf(key, by)));
        expect(await current().users.lookUp({ keys: wanted, viewer: by })).toEqual(views.flat());
        const found = await Promise.all(
          BOUNDS.map((maxBytes) => current().users.lookUp({ keys: wanted, viewer: by, maxBytes })),
        );
        const textsOf = ({ sections }: ViewedUser) => Object.values(sections);
        expect(found).toEqual(BOUNDS.map((maxBytes) => withinBytes(views.flat(), textsOf, maxBytes)));
      }
    }
  });
}
