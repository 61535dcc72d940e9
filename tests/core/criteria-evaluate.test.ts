import {
  compareCodePoints,
  createComparator,
  documentResolver,
  kilometres,
  matches,
  OTHER,
  resolverOf,
  sortValues,
  summarize,
  userResolver,
  valueAt,
} from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../packages/contracts/src/any-text.ts';
import { condition, query } from '../support/criteria.ts';

const OBJECT = JSON.parse(`{
  "n": 5, "zero": 0, "minus": -1.5, "t": "Straße 5%", "digits": "5", "yes": true, "no": false, "word": "true",
  "nothing": null, "empty": "", "emoji": "a😀b", "private": "\ufffd", "list": ["a", 5, true, null, ["a"]],
  "people": [{"name": "ann", "age": 30, "tags": ["x"]}, {"name": "bob"}, "ann", null],
  "object": {"a": {"b": [10, {"c": "deep"}]}, "size": 3, "": 1}, "lat": 48.8566, "lon": 2.3522,
  "__proto__": {"own": 1}, "constructor": "plain", "when": "2014-01-31T09:12:03.512+0000"
}`);
const names = resolverOf(OBJECT);
const holds = (where: string, ...params: string[]) => matches(condition(where, ...params), names);

/** A pattern as a regular expression. */
function expressionOf(pattern: string): RegExp {
  const exactly = (char: string) => `\\u{${char.codePointAt(0)?.toString(16)}}`;
  const source = pattern.replace(/\\(.?)|(.)/gsu, (_, escaped: string | undefined, plain = '') => {
    if (escaped !== undefined) return exactly(escaped || '\\');
    return { '%': '[^]*', _: '[^]' }[plain as string] ?? exactly(plain);
  });
  return new RegExp(`^${source}$`, 'u');
}

describe('a condition', () => {
  it.each([
    ['n = 5'],
    ['n = 5.0'],
    ['5 = n'],
    ['n >= 5 and n <= 5 and n > 4 and n < 6 and n <> 4'],
    ['minus < zero and zero < n'],
    ['yes = true and no = false and no < yes'],
    ["t = 'Straße 5%'"],
    ["t <> 'x'"],
    ["empty = ''"],
    ["digits = '5'"],
    ['n between 5 and 6'],
    ['n not between 6 and 7'],
    ["private < emoji.toLowerCase() or private > 'a'"],
    ['nothing is null and missing is null and object.x is null and list[9] is null and list[3] is null'],
    ['n is not null and empty is not null and list is not null and object is not null'],
    ['n = object.size or n <> object.size'],
    ['n in [4, 5] and n not in [] and n not in ["5"]'],
    ["missing not in ['a'] and missing not like 'a' and not missing = 1 and missing not between 1 and 2"],
    ['missing in [null, 1] and n not in [null, 1]'],
    ["t like 'Stra_e%' and t like '%' and t like '%5\\%' and t not like '%5' and t not like 'stra%'"],
    ["emoji like 'a_b' and emoji not like 'a__b'"],
    ["emoji.length() = 3 and t.length() = 9 and ''.length() = 0"],
    ["t.toUpperCase() = 'STRASSE 5%' and t.toLowerCase() like 'straße%'"],
    ["'İ'.toLowerCase() = 'i̇'"],
    ['list.size() = 5 and list.length() is null and t.size() is null and n.toLowerCase() is null'],
    ["list contains 'a' and list contains 5 and list contains true and 'a' in list and 6 not in list"],
    ["people contains (name = 'ann' and age = 30) and people contains (tags contains 'x')"],
    ["not people contains (name = 'bob' and age = 30)"],
    ['people contains (age is null)'],
    ["people[1].name = 'bob' and object.a.b[1].c = 'deep' and object.a.b[0] = 10 and object.`` = 1"],
    ["t containsText 'ße 5' and t containsText '' and not t containsText 'SS'"],
    ["`__proto__`.own = 1 and constructor = 'plain' and toString is null and object.constructor is null"],
    [
      "when > date('2014-01-31') and when < date('2014-01-31T10:12:03+01:00').toUpperCase() or when = date('2014-01-31T10:12:03.512+01:00')",
    ],
    ['when < sysdate()'],
    ['distance(lat, lon, 51.5074, -0.1278) > 343 and distance(lat, lon, 51.5074, -0.1278) < 344'],
    ['distance(lat, lon, lat, lon) = 0 and distance(lat, t, 1, 1) is null'],
  ])('holds: %s', (where) => {
    expect(holds(where)).toBe(true);
    expect(holds(`not (${where})`)).toBe(false);
  });

  it.each([
    ["n = '5'"],
    ['digits = 5'],
    ["n <> '5'"],
    ['missing = 1'],
    ['missing <> 1'],
    ['nothing <> 1'],
    ['missing = missing'],
    ['list = list'],
    ['list <> 1'],
    ['object <> 1'],
    ['object = object'],
    ['yes > 0'],
    ['yes = 1'],
    ["yes = 'true'"],
    ['word = true'],
    ['n < null'],
    ['n >= null'],
    ["n like '5'"],
    ["n containsText '5'"],
    ["t containsText 'x'"],
    ["object contains 'size'"],
    ["t contains 'S'"],
    ["list contains ('b')"],
    ['people contains (age > 30)'],
    ['list contains (x = 1)'],
    ["'x' in people"],
    ['list[0] = 5'],
    ["t[0] = 'S'"],
    ['object[0] is not null'],
    ['list.a is not null'],
  ])('does not hold: %s', (where) => {
    expect(holds(where)).toBe(false);
  });

  it.each<[string, string[], boolean]>([
    ['n = ?', ['5'], true],
    ['n = ?', ['5.0'], true],
    ['n = ?', ['05'], false],
    ['n = ?', [' 5'], false],
    ['digits = ?', ['5'], true],
    ['digits = ?', ['5.0'], false],
    ['n <> ?', ['5'], false],
    ['n <> ?', ['6'], true],
    ['t <> ?', ['5'], true],
    ['n > ?', ['4'], true],
    ['n > ?', ['x'], false],
    ['t > ?', ['4'], true],
    ['yes = ?', ['true'], true],
    ['yes = ?', ['True'], false],
    ['word = ?', ['true'], true],
    ['no <= ?', ['true'], true],
    ['n in [?, ?]', ['x', '5'], true],
    ['n in ?', ['[5]'], true],
    ['n in ?', ['["5"]'], false],
    ['n between ? and ?', ['4', '6'], true],
    ['list contains ?', ['5'], true],
    ['t like ?', ['%5\\%'], true],
    ['distance(lat, lon, ?, ?) < 344', ['51.5074', '-0.1278'], true],
    ['distance(lat, lon, ?, ?) < 344', ['x', '-0.1278'], false],
    ['? = ?', ['1', '1.0'], true],
    ['?.length() = 2', ['55'], true],
  ])('%s with %j: %s', (where, params, expected) => {
    expect(holds(where, ...params)).toBe(expected);
  });

  it('compares strings by code point', () => {
    expect(matches(condition("a > '\ufffd'"), resolverOf({ a: '😀' }))).toBe(true);
    fc.assert(
      fc.property(anyText(), anyText(), (a, b) => {
        const [left, right] = [a, b].map((text) => Array.from(text, (char) => char.codePointAt(0) ?? 0));
        const at = left?.findIndex((point, index) => point !== right?.[index]) ?? -1;
        const difference = at === -1 ? a.length - b.length : (left?.[at] ?? 0) - (right?.[at] ?? -1);
        expect(Math.sign(compareCodePoints(a, b))).toBe(Math.sign(difference));
      }),
    );
  });

  it('matches patterns as a plain search would', () => {
    const piece = fc.constantFrom('a', 'b', '😀', '%', '_', '\\%', '\\_', '\\\\\\\\', '\\\\');
    const text = fc.array(fc.constantFrom('a', 'b', '😀', '%', '_', '\\')).map((chars) => chars.join(''));
    fc.assert(
      fc.property(fc.array(piece), text, (pieces, value) => {
        const pattern = pieces.join('').replaceAll('\\\\', '\\');
        expect(matches(condition('a like ?', pattern), resolverOf({ a: value }))).toBe(
          expressionOf(pattern).test(value),
        );
      }),
      { numRuns: 2000 },
    );
  });
});

describe('distances', () => {
  it.each([
    [0, 0, 0, 180, 20_015.09],
    [90, 0, -90, 0, 20_015.09],
    [0, 0, 0, 1, 111.19],
    [-33.8688, 151.2093, 35.6762, 139.6503, 7822.4],
  ])('from %d %d to %d %d are %d km', (a, b, c, d, expected) => {
    expect(kilometres(a, b, c, d)).toBeCloseTo(expected, -1);
    expect(kilometres(c, d, a, b)).toBeCloseTo(kilometres(a, b, c, d), 6);
  });
});

describe('an order', () => {
  const rows = [
    {},
    { a: null },
    { a: true },
    { a: false },
    { a: 2 },
    { a: -1 },
    { a: 'b' },
    { a: 'B' },
    { a: [1] },
    { a: {} },
  ].map((object, index) => ({ object, id: String(index) }));

  function sorted(orderBy: string): string {
    const { order } = query({ orderBy });
    const compare = createComparator(order);
    return rows
      .map(({ object, id }) => ({ keys: sortValues(order, resolverOf(object)), id }))
      .sort(compare)
      .map(({ id }) => id)
      .join('');
  }

  it('sorts absent values first, then booleans, numbers, strings and all else, with the id as tie-break', () => {
    expect(sorted('a')).toBe('0132547689');
    expect(sorted('a desc')).toBe('8967452301');
    expect(sorted('b desc')).toBe('0123456789');
  });

  it('has one key for all arrays and objects', () => {
    const { order } = query({ orderBy: 'a, b' });
    expect(sortValues(order, resolverOf({ a: {}, b: [[]] }))).toEqual([OTHER, OTHER]);
  });
});

describe('a summary', () => {
  const objects = [
    { kind: 'a', n: 1 },
    { kind: 'b', n: 2.5 },
    { kind: 'a', n: '7' },
    { n: 0.1 },
    { kind: null, n: 0.2 },
    { kind: ['x'], n: null },
    { kind: 5, n: true },
    { kind: '5', n: {} },
  ].map((object) => resolverOf(object as never));

  const summary = (fields: string, groupBy = '', order: { column: number; descending: boolean }[] = []) => {
    const parsed = query({ fields, groupBy });
    const aggregates = (parsed.fields ?? []).filter((field) => field.kind === 'aggregate');
    return summarize(objects, { groupBy: parsed.groupBy, aggregates, order });
  };

  it('aggregates all objects into one row', () => {
    const all =
      'count(*), count(n) as c, count(kind) as k, sum(n), avg(n), min(n), max(n), min(x) as x, sum(x) as s, avg(x) as v';
    expect(summary(all)).toEqual([[8, 7, 6, 3.8, 0.95, true, '7', null, 0, null]]);
    expect(summarize([], { groupBy: [], aggregates: [], order: [] })).toEqual([[]]);
  });

  it('returns one row for each combination of values', () => {
    const rows = [
      [null, 3, 0.3],
      [5, 1, 0],
      ['5', 1, 0],
      ['a', 2, 1],
      ['b', 1, 2.5],
    ];
    expect(summary('count(*), sum(n)', 'kind')).toEqual(rows);
    expect(summary('count(*), sum(n)', 'kind', [{ column: 0, descending: true }])).toEqual(rows.toReversed());
    const byCount = summary('count(*), sum(n)', 'kind', [{ column: 1, descending: true }]);
    expect(byCount.map(([kind]) => kind)).toEqual([null, 'a', 5, '5', 'b']);
    expect(summarize([], { groupBy: [['a']], aggregates: [], order: [] })).toEqual([]);
  });

  it('has the same sum in any order, to 15 digits', () => {
    const numbers = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { maxLength: 50 });
    const { fields } = query({ fields: 'sum(n), avg(n)' });
    const aggregates = (fields ?? []).filter((field) => field.kind === 'aggregate');
    const of = (values: number[]) =>
      summarize(
        values.map((n) => resolverOf({ n })),
        { groupBy: [], aggregates, order: [] },
      );
    fc.assert(
      fc.property(numbers, (values) => {
        expect(of(values)).toEqual(of(values.toReversed()));
      }),
    );
    expect(of([0.1, 0.2])).toEqual([[0.3, 0.15]]);
  });
});

describe('the names in criteria', () => {
  it('of a document are its content and the fields of the service', () => {
    const resolve = documentResolver({
      id: 'the-id',
      author: 'ann',
      updatedBy: 'bob',
      collection: 'Notes',
      created: Date.UTC(2014, 0, 31, 9, 12, 3, 512),
      updated: Date.UTC(2014, 0, 31, 9, 12, 3, 513),
      version: 7,
      content: '{"title":"x","author":"content","__proto__":1}',
    });
    const values = [
      'id',
      '@ID',
      '_author',
      '_updated_by',
      '_creation_date',
      '_update_date',
      '@version',
      '@class',
      'title',
      'author',
    ];
    expect(values.map(resolve)).toEqual([
      'the-id',
      'the-id',
      'ann',
      'bob',
      '2014-01-31T09:12:03.512+0000',
      '2014-01-31T09:12:03.513+0000',
      7,
      'Notes',
      'x',
      'content',
    ]);
    expect(['__proto__', 'created', 'constructor', '@rid'].map(resolve)).toEqual([1, undefined, undefined, undefined]);
  });

  it('of a user are the sections that the viewer may see', () => {
    const resolve = userResolver({
      id: 'the-id',
      name: 'ann',
      role: 'editor',
      status: 'ACTIVE',
      created: 0,
      sections: {
        visibleByTheUser: null,
        visibleByFriend: '{"phone":1}',
        visibleByRegisteredUsers: '{}',
        visibleByAnonymousUsers: '{"a":{"b":2}}',
      },
    });
    const test = (where: string) => matches(condition(where), resolve);
    expect(test("user.name = 'ann' and user.status = 'ACTIVE' and user.roles contains (name = 'editor')")).toBe(true);
    expect(test("id = 'the-id' and signUpDate = '1970-01-01T00:00:00.000+0000'")).toBe(true);
    expect(test('visibleByTheUser is null and visibleByTheUser.email is null')).toBe(true);
    expect(test('visibleByFriend.phone = 1 and visibleByFriends.phone = 1 and visibleByAnonymousUsers.a.b = 2')).toBe(
      true,
    );
    expect(test('visibleByRegisteredUsers is null')).toBe(false);
    expect(valueAt(['name'], resolve)).toBeUndefined();
  });
});
