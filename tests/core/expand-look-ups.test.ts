import { createMemoryStorage } from '@baobab/adapters/memory';
import { createNodeSecrets, createSystemClock } from '@baobab/adapters/system';
import { addCollection, addUser, newDocument, uuid } from '@baobab/contracts/storage';
import {
  createActor,
  createDocuments,
  createSearchCosts,
  EVERY_OBJECT,
  parseExpand,
  type SettingValues,
} from '@baobab/core';
import { beforeEach, describe, expect, it } from 'vitest';

const BOUNDS = { skip: 0, limit: 100, maxBytes: 1_000_000, mayEndEarly: true };

describe('a response with references', () => {
  /** Request of each look-up. */
  let lookUps: ReadonlyArray<readonly string[]> = [];
  let scene: Awaited<ReturnType<typeof prepare>>;

  async function prepare() {
    const storage = createMemoryStorage();
    await storage.migrate();
    const [ann, bob] = [await addUser(storage, 'Ann'), await addUser(storage, 'Bob')];
    const collection = await addCollection(storage, 'books');
    const add = async (content: object, author = ann) => {
      const document = newDocument(author.id, collection, { content: JSON.stringify(content) });
      await storage.documents.add(document);
      return document.id;
    };
    const owners = await Promise.all([{ n: 1 }, { n: 2 }].map((content) => add(content, bob)));
    const others = await addCollection(storage, 'lists');
    const lists = owners.map((owner) =>
      newDocument(ann.id, others, { id: uuid(), content: JSON.stringify({ owner, missing: uuid() }) }),
    );
    for (const list of lists) await storage.documents.add(list);
    for (let n = 0; n < 10; n++) await add({ list: lists[n % 2]?.id, all: lists.map(({ id }) => id), n });
    const values = { 'followers.read.documents': true } as unknown as SettingValues;
    const noted = (wanted: readonly string[]) => {
      lookUps = [...lookUps, wanted];
    };
    const documents = createDocuments({
      storage: {
        ...storage,
        documents: {
          ...storage.documents,
          lookUp(wanted) {
            noted(wanted.ids);
            return storage.documents.lookUp(wanted);
          },
        },
        users: {
          ...storage.users,
          lookUp(wanted) {
            noted(wanted.keys);
            return storage.users.lookUp(wanted);
          },
        },
      },
      cascades: { finish: async () => undefined },
      secrets: createNodeSecrets('k'),
      clock: createSystemClock(),
      settings: { current: async () => values },
      policies: { current: async () => new Map() },
      schemaValidators: { find: async () => null },
      searchCosts: createSearchCosts({ now: () => 0, steady: () => 0 }),
    });
    const actor = createActor({ ...ann, role: 'administrator' }, null);
    const page = { ...BOUNDS, collection, after: null };
    return { documents, actor, page, lists: lists.map(({ id }) => id), owners };
  }

  beforeEach(async () => {
    lookUps = [];
    scene = await prepare();
  });

  const listed = (expand: string) => {
    const page = { ...scene.page, query: EVERY_OBJECT };
    return scene.documents.searchExpanded(scene.actor, page, parseExpand(expand));
  };

  it('reads each document and profile once: one look-up of each kind for a hop', async () => {
    const { lists, owners } = scene;
    expect((await listed('list,all,_author')).objects).toHaveLength(12);
    expect(lookUps).toEqual([lists, ['bob', 'ann']]);
    lookUps = [];
    await listed('list,all,_author,list.owner,list.missing,all._author');
    // The owners are rows of the page, and the authors those of the first hop.
    expect(lookUps).toEqual([lists, ['bob', 'ann'], [expect.any(String), expect.any(String)]]);
    expect(lookUps.flat()).not.toContain(owners[0]);
  });

  it('looks nothing up where nothing is referred to', async () => {
    await listed('n,absent,absent.x');
    expect(lookUps).toEqual([]);
  });
});
