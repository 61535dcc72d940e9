import type {
  Aggregate,
  Comparison,
  Condition,
  Constant,
  DocumentSummary,
  JsonValue,
  Operand,
  OrderKey,
  Path,
  Scalar,
} from '@baobab/core';
import { canonicalPattern } from '@baobab/core';
import fc from 'fast-check';

/** Documents, filters and orders that match often: few names and few values, including all odd ones. */

const NAMES = [
  'a',
  'b',
  'n',
  'tags',
  'a.b',
  'x y',
  '$',
  '"',
  "'",
  '\\',
  '\\"',
  'é',
  '',
  '__proto__',
  '0',
  '😀',
  'a[0]',
  '*',
  '"a":"a"',
];
const TEXTS = [
  ...[
    '',
    'a',
    'A',
    'ab',
    'abc',
    'b',
    '5',
    '05',
    '1.5',
    'true',
    'false',
    'null',
    ' ',
    'ß',
    'SS',
    'İ',
    'ΑΣ',
    'é',
    'e\u0301',
  ],
  ...[
    '😀',
    '\uffee',
    '\ue000',
    'a%b',
    '_',
    'a*b?',
    '[x]',
    '\\',
    'a\\b',
    "'",
    '"',
    '\u0001',
    '\n',
    'ﬀ',
    'ǅ',
    '2014-01-31',
  ],
  ...['x'.repeat(255), 'x'.repeat(256), `${'x'.repeat(256)}a`, `${'x'.repeat(256)}b`, `${'😀'.repeat(256)}z`],
  '2014-01-31T09:12:03.512+0000',
  // Texts that resemble the surrounding JSON, or that JSON escapes.
  ...['":"', '"a":"a"', '","b":"a', 'a"b', '\\"', '\\u0001', '\t', '\b\f\r', '\u007f', '\u2028', '/', '{', '[5', ',5'],
];
const NUMBERS = [
  0,
  1,
  -1,
  5,
  2,
  1.5,
  0.1,
  0.2,
  -1e-8,
  1e300,
  9007199254740991,
  5e-324,
  100,
  1e21,
  1e-7,
  1e22,
  2 ** 70,
  51,
  -0.5,
];

const name = fc.constantFrom(...NAMES);
const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
const number = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NUMBERS) },
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
);
const scalar: fc.Arbitrary<Scalar> = fc.oneof(fc.boolean(), number, text);

const isStorable = (value: unknown) => !/\\u0000|\\ud[89a-f]/.test(JSON.stringify(value));

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.oneof(fc.constant(null), scalar),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

const members = fc.uniqueArray(fc.tuple(name, value), { maxLength: 6, selector: ([key]) => key });

/** JSON text of a document's content. */
export const content: fc.Arbitrary<string> = members
  .map((entries) => Object.fromEntries(entries))
  .filter(isStorable)
  .map((object) => JSON.stringify(object));

const OWNED = ['id', '_author', '_updated_by', '_creation_date', '_update_date', '@version', '@class'];

const step = fc.oneof(name, fc.constantFrom(0, 1, 2, 3_000_000_000));
const contentPath: fc.Arbitrary<Path> = fc
  .tuple(name, fc.array(step, { maxLength: 2 }))
  .map(([first, rest]) => [first, ...rest]);
const ownedPath: fc.Arbitrary<Path> = fc
  .tuple(fc.constantFrom(...OWNED), fc.array(step, { maxLength: 1 }))
  .map(([first, rest]) => (rest[0] === 0 ? [first, 0] : [first]));
export const path: fc.Arbitrary<Path> = fc.oneof(
  { weight: 3, arbitrary: contentPath },
  { weight: 1, arbitrary: name.map((first): Path => [first]) },
  { weight: 1, arbitrary: ownedPath },
);

const constant: fc.Arbitrary<Constant> = fc.oneof(
  scalar.map((known) => ({ kind: 'constant' as const, value: known, untyped: false })),
  text.map((known) => ({ kind: 'constant' as const, value: known, untyped: true })),
  number.map((known) => ({ kind: 'constant' as const, value: String(known), untyped: true })),
);

const pathOperand: fc.Arbitrary<Operand> = path.map((known) => ({ kind: 'path', path: known }));
const { operand } = fc.letrec<{ operand: Operand }>((tie) => ({
  operand: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.oneof({ weight: 3, arbitrary: pathOperand }, { weight: 1, arbitrary: constant }),
    fc.record({
      kind: fc.constant('call' as const),
      method: fc.constantFrom('toLowerCase' as const, 'toUpperCase' as const, 'length' as const, 'size' as const),
      of: tie('operand'),
    }),
  ),
}));

const comparison = fc.constantFrom<Comparison>('=', '<>', '<', '<=', '>', '>=');
const degrees: fc.Arbitrary<Operand> = fc.oneof(
  pathOperand,
  fc
    .double({ min: -180, max: 180, noNaN: true })
    .map((known) => ({ kind: 'constant' as const, value: known, untyped: false })),
);
const distance: fc.Arbitrary<Condition> = fc
  .tuple(
    degrees,
    degrees,
    degrees,
    degrees,
    fc.constantFrom('<' as const, '>' as const),
    fc.double({ min: 1, max: 20_000, noNaN: true }),
  )
  .map(([a, b, c, d, operator, kilometres]) => ({
    kind: 'compare',
    operator,
    left: { kind: 'distance', of: [a, b, c, d] },
    right: { kind: 'constant', value: kilometres, untyped: false },
  }));

const pattern = fc.oneof(
  text.map((known) => `${known}%`),
  text.map((known) => `%${known}`),
  fc
    .array(fc.constantFrom('%', '_', 'a', 'b', '*', '[', '\\%', '\\', '😀', 'x'), { maxLength: 5 })
    .map((parts) => parts.join('')),
);

export const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('compare' as const),
          operator: comparison,
          left: operand,
          right: operand,
        }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('compare' as const),
          operator: comparison,
          left: pathOperand,
          right: constant,
        }),
      },
      fc.record({ kind: fc.constant('in' as const), operand, values: fc.array(constant, { maxLength: 5 }) }),
      fc.record({ kind: fc.constant('like' as const), operand, pattern: pattern.map(canonicalPattern) }),
      fc.record({ kind: fc.constant('null' as const), operand }),
      fc.record({ kind: fc.constant('contains' as const), operand, value: constant }),
      fc.record({ kind: fc.constant('containsText' as const), operand, text }),
      distance,
    ),
    fc.record({ kind: fc.constant('some' as const), operand: pathOperand, condition: tie('condition') }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      conditions: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), condition: tie('condition') }),
  ),
})) as { condition: fc.Arbitrary<Condition> };

const method = fc.constant('toLowerCase' as const);
const sortedBy = fc.tuple(path, fc.boolean(), fc.option(method, { freq: 3 }));

export const order: fc.Arbitrary<OrderKey[]> = fc.array(
  sortedBy.map(([by, descending, called]) => ({ path: by, descending, ...(called !== null && { method: called }) })),
  { maxLength: 3 },
);

const aggregate: fc.Arbitrary<Aggregate> = fc
  .tuple(
    fc.constantFrom('count' as const, 'sum' as const, 'avg' as const, 'min' as const, 'max' as const),
    path,
    fc.boolean(),
  )
  .map(([known, at, isAll]) => ({
    kind: 'aggregate',
    name: known,
    path: known === 'count' && isAll ? null : at,
    as: known,
  }));

export type Shape = Pick<DocumentSummary, 'groupBy' | 'aggregates' | 'order'>;
export const shape: fc.Arbitrary<Shape> = fc
  .tuple(fc.array(path, { maxLength: 2 }), fc.array(aggregate, { maxLength: 3 }))
  .filter(([groupBy, aggregates]) => groupBy.length + aggregates.length > 0)
  .chain(([groupBy, aggregates]) =>
    fc.record({
      groupBy: fc.constant(groupBy),
      aggregates: fc.constant(aggregates),
      order: fc.array(fc.record({ column: fc.nat(groupBy.length + aggregates.length - 1), descending: fc.boolean() }), {
        maxLength: 2,
      }),
    }),
  );
