import { DatabaseSync } from 'node:sqlite';
import { addUser, EVERYTHING, NOW, newDocument, uuid } from '@baobab/contracts/storage';
import {
  type Condition,
  canonicalPattern,
  createQueryParser,
  documentColumn,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  matches,
  type Path,
  type PathStep,
  resolverOf,
  type Scalar,
  type Storage,
} from '@baobab/core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createParams } from '../../packages/adapters/src/sql/criteria/dialect.ts';
import { compileTextTest, textTestOf } from '../../packages/adapters/src/sql/criteria/text-tests.ts';
import { compile } from '../../packages/adapters/src/sql/statements/statement.ts';
import { SQLITE_CRITERIA } from '../../packages/adapters/src/sqlite/criteria.ts';
import { condition, content } from '../support/criteria-arbitraries.ts';
import { STORAGES, type TestStorage } from '../support/databases.ts';

const SEED = 20_261_122;
const parse = createQueryParser({ clock: { now: () => NOW } });
const whereOf = (where: string, params: string[] = []): Condition => {
  const { where: parsed } = parse({ where, orderBy: null, fields: null, groupBy: null, params });
  if (parsed === null) throw new Error('expected a condition');
  return parsed;
};

const isTested = ([first]: readonly [string, ...unknown[]]) => documentColumn(first) === null;
const database = new DatabaseSync(':memory:');
afterAll(() => database.close());

/** True if a text passes the test of a condition, in SQLite. */
function passes(where: Condition, text: string): boolean {
  const params = createParams(SQLITE_CRITERIA.typed);
  const sql = compileTextTest(textTestOf(where, isTested), 'documents.content', SQLITE_CRITERIA, params);
  const mark = params.add(text);
  const compiled = compile(
    'anonymous',
    `with documents as (select ${mark} as content) select ${sql} as passed from documents`,
  );
  const row = database.prepare(compiled.text).get(...compiled.bind(params.values));
  return row?.passed === 1;
}

/**
 * SQLite prepares a statement again for each value of a parameter that alone is a pattern. Only its text tells, because
 * nothing that Node offers counts how often a statement is prepared.
 */
it.each(["a = 'x'", "a like 'x%y'", "a contains 'x'"])('binds no pattern alone: %s', (where) => {
  const params = createParams(SQLITE_CRITERIA.typed);
  const test = compileTextTest(textTestOf(whereOf(where), isTested), 'documents.content', SQLITE_CRITERIA, params);
  expect(test).toMatch(/ glob \+\?/);
  expect(SQLITE_CRITERIA.like('txt', 'x%y', params)).toMatch(/ glob \+\?/);
});

const holdsFor = (where: Condition, text: string) => matches(where, resolverOf(JSON.parse(text) as JsonObject));

const sorted = (text: string) => Array.from(text).sort().join('');
/** V8 13.6 reads the name `"` or `\n` as `\` where an earlier object had that name. Integers as names change the order. */
const isReadRight = (text: string) => sorted(JSON.stringify(JSON.parse(text))) === sorted(text);

/** The scalars in a value with their paths. */
function scalarsIn(value: JsonValue, path: readonly PathStep[]): [Path, Scalar][] {
  const [first, ...steps] = path;
  if (Array.isArray(value)) return value.flatMap((element, i) => scalarsIn(element, [...path, i]));
  if (isJsonObject(value)) return Object.entries(value).flatMap(([name, member]) => scalarsIn(member, [...path, name]));
  return value === null || typeof first !== 'string' ? [] : [[[first, ...steps], value]];
}

const quoted = (text: string) => text.replace(/[%_\\]/g, '\\$&');

/** Conditions on one value of a document, which hold unless its field belongs to the service. */
function conditionsOn(text: string, at: number, length: number): Condition[] {
  const scalars = scalarsIn(JSON.parse(text), []);
  const [path, value] = scalars[at % Math.max(scalars.length, 1)] ?? [['a'], 'a'];
  const operand = { kind: 'path', path } as const;
  const constant = { kind: 'constant', value, untyped: false } as const;
  const equal: Condition = { kind: 'compare', operator: '=', left: operand, right: constant };
  const untyped: Condition = { ...equal, left: { ...constant, value: String(value), untyped: true }, right: operand };
  const isIn: Condition = { kind: 'in', operand, values: [{ ...constant, value: 'other' }, constant] };
  const [first, ...steps] = path.slice(0, -1);
  const last = path.at(-1);
  const around: Condition[] =
    typeof first === 'string'
      ? [
          { kind: 'contains', operand: { kind: 'path', path: [first, ...steps] }, value: constant },
          ...(typeof last === 'string' && typeof steps.at(-1) === 'number'
            ? [
                {
                  kind: 'some' as const,
                  operand: { kind: 'path' as const, path: [first, ...steps.slice(0, -1)] as Path },
                  condition: { ...equal, left: { kind: 'path' as const, path: [last] as Path } },
                },
              ]
            : []),
        ]
      : [];
  const chars = Array.from(String(value));
  const start = length % Math.max(chars.length, 1);
  const pieces = [chars.slice(0, start), chars.slice(start, start + 40), chars.slice(start + 40)].map((piece) =>
    quoted(piece.join('')),
  );
  const [head = '', middle = '', tail = ''] = pieces;
  const patterns = [`${head}%`, `%${middle}${tail}`, `%${middle}%`, `_%${middle}${tail}`, `${head}${middle}${tail}`];
  const simple: Condition[] = [
    equal,
    untyped,
    isIn,
    ...around,
    { kind: 'containsText', operand, text: chars.slice(start, start + 40).join('') },
    ...patterns.map((pattern): Condition => ({ kind: 'like', operand, pattern: canonicalPattern(pattern) })),
  ];
  return [...simple, { kind: 'and', conditions: simple.slice(0, 3) }, { kind: 'or', conditions: simple.slice(-3) }];
}

describe('a test on the text of documents', () => {
  it('is passed by every document for which the condition holds', () => {
    const numRuns = Number(process.env.RUNS ?? 500);
    let held = 0;
    fc.assert(
      fc.property(content.filter(isReadRight), condition, fc.nat(), fc.nat(), (text, other, at, length) => {
        const conditions = [other, ...conditionsOn(text, at, length)];
        for (const where of conditions.filter((one) => holdsFor(one, text))) {
          if (textTestOf(where, isTested) === null) continue;
          held++;
          expect(passes(where, text), JSON.stringify({ where, text })).toBe(true);
        }
      }),
      { numRuns, seed: Number(process.env.SEED ?? SEED) },
    );
    expect(held).toBeGreaterThan(numRuns);
  });

  it.each<[string, JsonObject]>([
    ["a = 'x'", { a: 'x' }],
    ["a = '\"'", { a: '"' }],
    ["a = '\\\\'", { a: '\\' }],
    ["a = '*[?]'", { a: '*[?]' }],
    ["a.b = 'é😀'", { a: { b: 'é😀' } }],
    ['a = 1.0', { a: 1 }],
    ['a = 1e21', { a: 1e21 }],
    ['a = -0', { a: 0 }],
    ['a = 0.00000001', { a: 1e-8 }],
    ['a[0] = 5', { a: [5, 6] }],
    ['a[1] = 6', { a: [5, 6] }],
    ['a[0][0] = 5', { a: [[5]] }],
    ['a = true', { a: true }],
    ["a in ['x', 'y']", { a: 'y' }],
    ["a like '%abc'", { a: 'x abc' }],
    ["a like 'abc_%'", { a: 'abcd' }],
    ["a like '_50\\%%'", { a: ' 50% off' }],
    ["a like ''", { a: '' }],
    ["a containstext 'b\"c'", { a: 'ab"cd' }],
    ["a contains 'x'", { a: [1, 'x'] }],
    ['a contains 5', { a: [1, 5] }],
    ["a contains (b = 'x')", { a: [{ b: 'x' }] }],
    ["a = 'x' or b = 'y'", { b: 'y' }],
    ["a = 'x' and b > 5", { a: 'x', b: 6 }],
    [`a = '${'long '.repeat(50)}'`, { a: 'long '.repeat(50) }],
  ])('is made of %s', (where, object) => {
    const known = whereOf(where);
    const text = JSON.stringify(object);
    expect({ holds: holdsFor(known, text), passed: passes(known, text) }).toEqual({ holds: true, passed: true });
    expect(passes(known, JSON.stringify({ a: 'other', b: 7, z: 'a', tags: ['xx'] }))).toBe(false);
  });

  it('takes a parameter for each value that it may mean', () => {
    const where = whereOf('n = ?', ['5']);
    expect([{ n: 5 }, { n: '5' }, { n: 6 }].map((object) => passes(where, JSON.stringify(object)))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it.each(['a > 5', "not a = 'x'", 'a is null', "a = 'x' or b > 5", 'a.length() = 5', "_author = 'Ann'", 'a = b'])(
    'does not exist for %s',
    (where) => expect(textTestOf(whereOf(where), isTested)).toBeNull(),
  );
});

describe.each(['sqlite', 'postgres'])('a search on %s', (name) => {
  let opened: TestStorage;
  let storage: Storage;

  beforeAll(async () => {
    const open = STORAGES[name];
    if (open === undefined) throw new Error(`there is no storage ${name}`);
    opened = await open();
    storage = opened.storage;
    const ann = await addUser(storage, 'Ann');
    await storage.collections.add({ id: uuid(), name: 'books', created: NOW });
    const contents = [
      '{"a":"x"}',
      'not JSON: {"a":"y"}',
      '{"a":"z","b":{"a":"x"}}',
      'not JSON either',
      '{"a":"x","n":5}',
    ];
    for (const [i, text] of contents.entries()) {
      const document = { id: uuid(NOW + i), created: NOW + i, content: text };
      await storage.documents.add(newDocument(ann.id, 'books', document));
    }
  });
  afterAll(() => opened.dispose());

  const find = (where: string) =>
    storage.documents.list({
      collection: 'books',
      where: whereOf(where),
      order: [],
      scope: EVERYTHING,
      after: null,
      skip: 0,
      limit: 10,
    });

  it('parses only the contents that contain the value', async () => {
    const found = await find("a = 'x'");
    expect(found?.map((document) => document.content)).toEqual(['{"a":"x"}', '{"a":"x","n":5}']);
    await expect(find("a = 'y'")).rejects.toThrow();
  });

  it('counts and summarizes likewise', async () => {
    expect(await storage.documents.count('books', EVERYTHING, whereOf("a = 'x' and n = 5"))).toBe(1);
    await expect(storage.documents.count('books', EVERYTHING, whereOf('n > 1'))).rejects.toThrow();
  });
});
