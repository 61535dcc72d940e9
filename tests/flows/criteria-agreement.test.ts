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
  type Comparison,
  type Condition,
  type DocumentRecord,
  documentResolver,
  type IndexedPath,
  NOBODY,
  type Operand,
  type OrderKey,
  RIGHTS,
  type Scalar,
  sortValues,
  userPrincipal,
} from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareStorages } from '../support/agreement.ts';
import { condition, content, order, type Shape, shape } from '../support/criteria-arbitraries.ts';
import { randomRuns } from '../support/parts.ts';

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

let collections = 0;
/** Runs take turns: without indexes, with indexes on one path each, and on several. Building them takes the most time. */
let runs = 0;
type Indexes = readonly (readonly IndexedPath[])[];
const ON_ONE: Indexes = [
  [['a']],
  [['b']],
  [{ lower: ['a'] }],
  [{ lower: ['b'] }],
  [['n']],
  [['a', 'b']],
  [['tags', 0]],
  [['0']],
];
const ON_SEVERAL: Indexes = [
  [['a'], ['b']],
  [['b'], ['n'], ['_creation_date']],
  [['n'], ['_creation_date']],
  [{ lower: ['b'] }, ['a']],
  [
    ['tags', 0],
    ['a', 'b'],
  ],
];
const INDEXED: readonly Indexes[] = [[], ON_ONE, [], ON_SEVERAL];
const nextIndexes = () => INDEXED[++runs % INDEXED.length] ?? [];

const { each, answers } = compareStorages(async (storage) => {
  for (const user of [ann, bob, cid]) await addUser(storage, user.name, user);
  await storage.follows.add(ann.id, bob.id);
});

/** Of the current versions. Nobody: a user that no longer exists. */
const WRITERS = [cid.id, NOBODY, ann.id, bob.id];

/** The same documents, with the same ids, in a new collection of every storage adapter. */
async function fill(contents: readonly string[], indexed: Indexes): Promise<string> {
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
  await each(async (storage) => {
    await storage.collections.add(made);
    for (const paths of indexed) {
      const name = `${collection}_${indexed.indexOf(paths)}`;
      await storage.indexes.declare({ collection, paths, name }, indexed.length);
    }
    if (indexed.length > 0) await storage.indexes.reconcile();
    for (const document of documents) await storage.documents.add(document);
    for (const [i, { id, content: text }] of documents.entries()) {
      const change = { content: text, by: WRITERS[(i / 3) % 4] ?? NOBODY, updated: NOW + 50 - i, version: null };
      if (i % 3 === 0) await storage.documents.replace({ collection, id }, EVERYTHING, change);
    }
  });
  return collection;
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
        const collection = await fill(texts, nextIndexes());
        for (const query of searches) await agreeOn(collection, query);
      }),
      { numRuns: Number(process.env.RUNS ?? randomRuns(20)), seed: Number(process.env.SEED ?? SEED) },
    );
  });

  it('returns the same for conditions and orders that indexes on several fields serve', async () => {
    const field = fc.constantFrom('a', 'b', 'n');
    const value = fc.constantFrom<Scalar>(0, 1, 2, '1', 'x', 'X', true);
    const constant = fc.record({ kind: fc.constant('constant' as const), value, untyped: fc.boolean() });
    const operand = fc.tuple(field, fc.boolean()).map(([name, isLower]): Operand => {
      const of = { kind: 'path', path: [name] } as const;
      return isLower ? { kind: 'call', method: 'toLowerCase', of } : of;
    });
    const part: fc.Arbitrary<Condition> = fc.oneof(
      fc.record({
        kind: fc.constant('compare' as const),
        operator: fc.constantFrom<Comparison>('=', '=', '=', '<', '>='),
        left: operand,
        right: constant.map((known) => ({ ...known, value: known.untyped ? String(known.value) : known.value })),
      }),
      fc.record({
        kind: fc.constant('in' as const),
        operand,
        values: fc.array(
          constant.map((known) => ({ ...known, untyped: false })),
          { minLength: 1, maxLength: 3 },
        ),
      }),
      fc.record({ kind: fc.constant('null' as const), operand }),
    );
    const where = fc
      .array(part, { minLength: 1, maxLength: 3 })
      .map((conditions): Condition => ({ kind: 'and', conditions }));
    const plain = fc.oneof(field, fc.constant('_creation_date'));
    const key = fc.tuple(plain, fc.boolean(), fc.boolean()).map(([name, descending, isLower]): OrderKey => {
      return { path: [name], descending, ...(isLower && { method: 'toLowerCase' }) };
    });
    const narrow = fc.record({
      where: fc.option(where, { freq: 5 }),
      order: fc.array(key, { maxLength: 3 }),
      scope: fc.constantFrom(EVERYTHING, EVERYTHING, accessScopeOfUser(bob.id)),
      skip: fc.nat(1),
      limit: fc.integer({ min: 1, max: 5 }),
      after: fc.nat(9),
    });
    const documents = fc.array(
      fc.dictionary(field, value, { maxKeys: 3 }).map((object) => JSON.stringify({ ...object })),
      { minLength: 8, maxLength: 16 },
    );
    await fc.assert(
      fc.asyncProperty(documents, fc.array(narrow, { minLength: 30, maxLength: 30 }), async (texts, searches) => {
        const collection = await fill(texts, [...ON_SEVERAL.slice(0, 3), [['a']], [{ lower: ['a'] }]]);
        for (const query of searches) await agreeOn(collection, query);
      }),
      { numRuns: Number(process.env.RUNS ?? randomRuns(3)), seed: Number(process.env.SEED ?? SEED) },
    );
  });

  it('aggregates the same documents to the same rows', async () => {
    const query = fc.record({ where: fc.option(condition), shape, scope: fc.constantFrom(...REACHES) });
    await fc.assert(
      fc.asyncProperty(contents, fc.array(query, { minLength: 6, maxLength: 6 }), async (texts, summaries) => {
        const collection = await fill(texts, nextIndexes());
        for (const { where, shape: known, scope } of summaries) {
          const summary: Shape & { where: Condition | null; scope: AccessScope } = { ...known, where, scope };
          await answers(({ documents }) => documents.summarize({ collection, ...summary, skip: 0, limit: 50 }));
          await answers(({ documents }) => documents.summarize({ collection, ...summary, skip: 1, limit: 2 }));
        }
      }),
      { numRuns: Number(process.env.RUNS ?? randomRuns(12)), seed: Number(process.env.SEED ?? SEED) },
    );
  });
});
