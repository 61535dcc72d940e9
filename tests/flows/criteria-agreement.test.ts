import {
  ANYBODY,
  accessScopeOfUser,
  addUser,
  EVERYTHING,
  NOW,
  newDocument,
  newUser,
  uuid,
} from '@baobab/contracts/storage';
import {
  type AccessScope,
  type Condition,
  type DocumentRecord,
  documentResolver,
  type OrderKey,
  type Path,
  RIGHTS,
  type Storage,
  sortValues,
  userPrincipal,
} from '@baobab/core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { condition, content, order, type Shape, shape } from '../support/criteria-arbitraries.ts';
import { STORAGES, type TestStorage } from '../support/databases.ts';

const SEED = 20_260_704;
const [ann, bob, cid] = [newUser('Ann'), newUser('bob'), newUser('Çid')];
const REACHES: readonly AccessScope[] = [
  EVERYTHING,
  ANYBODY,
  { ...accessScopeOfUser(ann.id), followed: true },
  accessScopeOfUser(bob.id),
];
/** The grants on a document, by its index. */
const GRANTS = [
  [],
  [{ principal: 'r:anonymous', rights: RIGHTS.read }],
  [{ principal: userPrincipal(bob.id), rights: RIGHTS.all }],
  [
    { principal: 'r:registereduser', rights: RIGHTS.read },
    { principal: userPrincipal(ann.id), rights: RIGHTS.read },
  ],
];

let opened: (readonly [name: string, storage: TestStorage])[] = [];
let collections = 0;
/** Every other run is with indexes. */
let runs = 0;
const INDEXED: readonly Path[] = [['a'], ['b'], ['n'], ['a', 'b'], ['tags', 0], ['0']];

beforeAll(async () => {
  opened = await Promise.all(Object.entries(STORAGES).map(async ([name, open]) => [name, await open()] as const));
  for (const [, { storage }] of opened) {
    for (const user of [ann, bob, cid]) await addUser(storage, user.name, user);
    await storage.follows.add(ann.id, bob.id);
  }
});
afterAll(async () => {
  for (const [, storage] of opened) await storage.dispose();
});

/** The same documents, with the same ids, in a new collection of every storage adapter. */
async function fill(contents: readonly string[], indexed: readonly Path[]): Promise<string> {
  const collection = `c${++collections}`;
  const made = { id: uuid(), name: collection, created: NOW };
  const documents = contents.map((text, i) => {
    const author = [ann, bob, cid][i % 3] ?? ann;
    const created = NOW + Math.floor(i / 2);
    return newDocument(author.id, collection, {
      id: uuid(created),
      created,
      content: text,
      grants: GRANTS[i % 4] ?? [],
    });
  });
  for (const [, { storage }] of opened) {
    await storage.collections.add(made);
    for (const path of indexed) {
      const name = `${collection}_${indexed.indexOf(path)}`;
      await storage.indexes.declare({ collection, path, name }, indexed.length);
    }
    if (indexed.length > 0) await storage.indexes.reconcile();
    for (const document of documents) await storage.documents.add(document);
    for (const [i, { id, content: text }] of documents.entries()) {
      const change = { content: text, updated: NOW + 50 - i, version: null };
      if (i % 3 === 0) await storage.documents.replace({ collection, id }, EVERYTHING, change);
    }
  }
  return collection;
}

/** The answer of all storage adapters. Asserts that they agree. */
async function answers<T>(ask: (storage: Storage) => Promise<T>): Promise<T> {
  const [[, memory], ...others] = opened as [(typeof opened)[number], ...typeof opened];
  const expected = await ask(memory.storage);
  for (const [name, { storage }] of others) expect({ [name]: await ask(storage) }).toEqual({ [name]: expected });
  return expected;
}

interface Search {
  readonly where: Condition | null;
  readonly order: readonly OrderKey[];
  readonly scope: AccessScope;
  readonly skip: number;
  readonly limit: number;
  readonly after: number;
}

const search: fc.Arbitrary<Search> = fc.record({
  where: fc.option(condition, { freq: 5 }),
  order,
  scope: fc.constantFrom(...REACHES),
  skip: fc.nat(3),
  limit: fc.integer({ min: 1, max: 8 }),
  after: fc.nat(9),
});

async function agreeOn(collection: string, { where, order: keys, scope, skip, limit, after }: Search): Promise<void> {
  const list = { collection, where, order: keys, scope };
  const positionOf = (document: DocumentRecord) => ({
    keys: sortValues(keys, documentResolver(document)),
    id: document.id,
  });
  const all = await answers((storage) => storage.documents.list({ ...list, after: null, skip: 0, limit: 100 }));
  expect(await answers((storage) => storage.documents.count(collection, scope, where))).toBe(all?.length);
  const last = all?.[after];
  const position = last === undefined ? null : positionOf(last);
  const page = await answers((storage) => storage.documents.list({ ...list, after: position, skip, limit }));
  const start = (last === undefined ? 0 : after + 1) + skip;
  expect(page).toEqual(all?.slice(start, start + limit));
}

const contents = fc.array(content, { minLength: 1, maxLength: 14 });

describe('every storage adapter', () => {
  it('returns the same documents in the same order for the same criteria, page by page', async () => {
    await fc.assert(
      fc.asyncProperty(contents, fc.array(search, { minLength: 8, maxLength: 8 }), async (texts, searches) => {
        const collection = await fill(texts, ++runs % 2 === 0 ? INDEXED : []);
        for (const query of searches) await agreeOn(collection, query);
      }),
      { numRuns: Number(process.env.RUNS ?? 40), seed: Number(process.env.SEED ?? SEED) },
    );
  });

  it('aggregates the same documents to the same rows', async () => {
    const query = fc.record({ where: fc.option(condition), shape, scope: fc.constantFrom(...REACHES) });
    await fc.assert(
      fc.asyncProperty(contents, fc.array(query, { minLength: 6, maxLength: 6 }), async (texts, summaries) => {
        const collection = await fill(texts, ++runs % 2 === 0 ? INDEXED : []);
        for (const { where, shape: known, scope } of summaries) {
          const summary: Shape & { where: Condition | null; scope: AccessScope } = { ...known, where, scope };
          await answers(({ documents }) => documents.summarize({ collection, ...summary, skip: 0, limit: 50 }));
          await answers(({ documents }) => documents.summarize({ collection, ...summary, skip: 1, limit: 2 }));
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 25), seed: Number(process.env.SEED ?? SEED) },
    );
  });
});
