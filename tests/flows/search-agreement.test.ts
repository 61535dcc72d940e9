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
  documentResolver,
  isAppError,
  type NewDocument,
  type OrderKey,
  parseSearchText,
  RIGHTS,
  type SearchField,
  type SearchText,
  type Storage,
  sortValues,
  userPrincipal,
} from '@baobab/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareStorages } from '../support/agreement.ts';

const SEED = 20_261_126;
const [ann, bob] = [newUser('Ann'), newUser('bob')];
const SCOPES: readonly AccessScope[] = [EVERYTHING, ANYBODY, accessScopeOfUser(ann.id), accessScopeOfUser(bob.id)];
const GRANTS = [
  [],
  [{ principal: 'r:anonymous', rights: RIGHTS.read }],
  [{ principal: userPrincipal(bob.id), rights: RIGHTS.read }],
];

/** Few words, so that searches match often: cases, diacritics, scripts, syntax of FTS5 and tsquery, broken text. */
const WORDS = [
  ...['milk', 'Milk', 'MÍLK', 'milky', 'mil', 'a', 'A', 'aa', 'b', '5', '05', 'straße', 'STRASSE', 'é', 'e\u0301'],
  ...['İ', 'ı', 'ΑΣ', 'ας', '東京', '京', '東', 'カ', 'ガ', 'ｶﾞ', 'か\u3099', '한', '\u1112\u1161\u11ab', 'हिन्दी', 'ﬁ'],
  ...['\u202e', '\u200d', '😀', '👨‍👩‍👧', '\ufffd', 'x\u0301\u0302\u0303', 'שָׁ', 'مُح', '𝔐', '①', '½', '﷽', '𐐀', '𐐨'],
  ...[
    'AND',
    'OR',
    'NOT',
    'NEAR(a b)',
    'a:b',
    '^a',
    '(a)',
    '1a',
    '(1a',
    ')(',
    '&',
    '|',
    '!',
    '<->',
    ':*',
    "'",
    '\\',
    '%',
  ],
  ...['-', '--a', '+', '{', '}', '[', ']', ';', '`', '~', 'a-b', "don't", 'a_b', 'a.b', '\t', '\n', '\u00a0', '\u3000'],
];
const word = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...WORDS) },
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
const text = fc
  .array(word, { maxLength: 12 })
  .map((words) => words.join(' '))
  // Not storable: requests with such texts are refused.
  .map((joined) => joined.replace(/[\0\ud800-\udfff]/gu, ''));
const value = fc.oneof(
  { weight: 8, arbitrary: text },
  fc.array(fc.oneof(text, fc.constant(5), fc.constant(null)), { maxLength: 3 }),
  fc.constantFrom(5, true, null, { a: 'milk' }),
);
const content = fc
  .record({ title: value, text: value, deep: fc.record({ part: value }) }, { requiredKeys: [] })
  .map((object) => JSON.stringify(object));

const term = fc
  .tuple(
    fc.constantFrom('', '', '', '-'),
    fc.array(word, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '*', '"'),
  )
  .map(([minus, words, form]) => (form === '"' ? `${minus}"${words.join(' ')}"` : `${minus}${words[0]}${form}`));
const query = fc.array(term, { minLength: 1, maxLength: 3 }).map((terms) => terms.join(' '));

const fields: fc.Arbitrary<readonly SearchField[]> = fc.constantFrom(
  [{ path: ['text'], weight: 1 }],
  [
    { path: ['title'], weight: 3 },
    { path: ['text'], weight: 1 },
  ],
  [
    { path: ['title'], weight: 2 },
    { path: ['deep', 'part'], weight: 5 },
    { path: ['text'], weight: 2 },
  ],
);

let collections = 0;

const { each, answers } = compareStorages(async (storage) => {
  for (const user of [ann, bob]) await addUser(storage, user.name, user);
});

/** Stores the same documents in every storage: some before the index, some after it, some changed again. */
async function fill(contents: readonly string[], searched: readonly SearchField[]): Promise<string> {
  const collection = `s${++collections}`;
  const made = { id: uuid(), name: collection, created: NOW };
  const documents = contents.map((one, i) => {
    const author = i % 2 === 0 ? ann : bob;
    return newDocument(author.id, collection, { id: uuid(), content: one, grants: GRANTS[i % 3] ?? [] });
  });
  await each(async (storage) => {
    await storage.collections.add(made);
    await fillOne(storage, documents, searched);
  });
  return collection;
}

async function fillOne(storage: Storage, documents: readonly NewDocument[], searched: readonly SearchField[]) {
  const [{ collection = '' } = {}] = documents;
  const half = Math.floor(documents.length / 2);
  for (const document of documents.slice(0, half)) await storage.documents.add(document);
  await storage.searchIndexes.declare(collection, searched);
  await storage.indexes.reconcile();
  const search = (await storage.searchIndexes.find(collection)) ?? undefined;
  for (const document of documents.slice(half)) await storage.documents.add({ ...document, search });
  const last = documents.length - 1;
  for (const [i, { id }] of documents.entries()) {
    const change = { by: ann.id, updated: NOW, version: null, search, content: documents[last - i]?.content ?? '{}' };
    if (i % 4 === 0) await storage.documents.replace({ collection, id }, EVERYTHING, change);
    if (i % 7 === 6) await storage.documents.remove({ collection, id }, EVERYTHING);
  }
}

function parsed(search: string): SearchText | null {
  try {
    return parseSearchText(search);
  } catch (error) {
    if (isAppError(error) && error.code === 'search.invalid') return null;
    throw error;
  }
}

/** Returns the ids and scores on all pages, and the total. */
async function found(storage: Storage, collection: string, search: SearchText, scope: AccessScope, size: number) {
  const index = await storage.searchIndexes.find(collection);
  if (index === null) throw new Error('no search index');
  const fullText = { index, text: search };
  const where: Condition = { kind: 'fullText', search: fullText };
  const order: readonly OrderKey[] = [{ path: ['_score'], descending: true, score: fullText }];
  const rows: unknown[] = [];
  for (let after = null; ; ) {
    const list = { collection, scope, where, order, after, skip: 0, limit: size };
    const page = ((await storage.documents.list(list)) ?? []).map((document) => ({
      id: document.id,
      keys: sortValues(order, documentResolver(document)),
    }));
    rows.push(...page);
    const last = page.at(-1);
    if (page.length < size || last === undefined) break;
    after = last as never;
  }
  return { rows, count: await storage.documents.count(collection, scope, where) };
}

it('finds the same documents with the same scores in the same order on every storage', async () => {
  let matched = 0;
  const contents = fc.array(content, { minLength: 8, maxLength: 24 });
  const queries = fc.array(query, { minLength: 20, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(contents, queries, fields, fc.integer({ min: 1, max: 5 }), async (made, asked, searched, size) => {
      const collection = await fill(made, searched);
      for (const search of asked.map(parsed)) {
        if (search === null) continue;
        for (const scope of SCOPES) {
          const { rows, count } = await answers((storage) => found(storage, collection, search, scope, size));
          expect(count).toBe(rows.length);
          matched += rows.length;
        }
      }
    }),
    { seed: SEED, numRuns: Number(process.env.SEARCH_ROUNDS ?? 12), endOnFailure: true },
  );
  expect(matched).toBeGreaterThan(500);
});
