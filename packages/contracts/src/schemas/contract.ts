import type { CompiledSchema, JsonObject, JsonValue, SchemaCompiler } from '@baobab/core';
import { describe, expect, it } from 'vitest';

const ARTICLE = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://example.org/article',
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1, pattern: '^[A-Z]' },
    state: { enum: ['draft', 'public'] },
    tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
    mail: { type: 'string', format: 'email' },
    'a/b': { type: 'integer' },
  },
  required: ['title'],
  additionalProperties: false,
};

const TREE = {
  $ref: '#/$defs/node',
  $defs: {
    node: {
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
      required: ['name'],
    },
  },
};

/** Recursive alternatives: a naive check doubles its work with each level. */
const ALTERNATIVES = {
  type: 'object',
  anyOf: [
    { properties: { a: { $ref: '#' }, b: { const: 1 } }, required: ['b'] },
    { properties: { a: { $ref: '#' }, c: { const: 1 } }, required: ['c'] },
  ],
};

const nested = (levels: number): JsonValue => (levels === 0 ? {} : { a: nested(levels - 1) });

/** Contract of compilers of JSON Schemas. */
export function schemasContract(name: string, create: () => SchemaCompiler): void {
  describe(`schema compiler contract: ${name}`, () => {
    const compiler = create();

    function compiled(schema: JsonValue): CompiledSchema {
      const made = compiler.compile(schema);
      if ('problems' in made) throw new Error(JSON.stringify(made.problems));
      return made.schema;
    }

    function check(schema: JsonValue, value: JsonValue) {
      return compiled(schema).check(value, JSON.stringify(value).length);
    }

    const paths = (schema: JsonValue, value: JsonValue) => check(schema, value).map(({ path }) => path);

    function refused(schema: JsonValue): string[] {
      const made = compiler.compile(schema);
      return 'problems' in made ? made.problems.map(({ path }) => path) : [];
    }

    it('finds nothing in values that conform', () => {
      expect(check(ARTICLE, { title: 'Rain', state: 'draft', tags: ['a'], mail: 'a@example.org', 'a/b': 1 })).toEqual(
        [],
      );
      expect(check(TREE, { name: 'a', children: [{ name: 'b', children: [] }] })).toEqual([]);
      expect(check({}, { anything: true })).toEqual([]);
    });

    it.each([
      [{}, ['/title']],
      [{ title: 'rain' }, ['/title']],
      [{ title: 'Rain', other: 1 }, ['/other']],
      [{ title: 'Rain', tags: ['a', 1, 'a'] }, ['/tags/1', '/tags']],
      [{ title: 'Rain', state: 'gone', mail: 'nobody' }, ['/mail', '/state']],
      [{ title: 'Rain', 'a/b': 1.5 }, ['/a~1b']],
    ])('names every problem of %j by its place', (value, expected) => {
      expect(paths(ARTICLE, value).toSorted()).toEqual(expected.toSorted());
    });

    it('names a nested place, and says what is expected', () => {
      expect(check(TREE, { name: 'a', children: [{ name: 'b' }, {}] })).toEqual([
        { path: '/children/1/name', message: expect.stringMatching(/\S/) },
      ]);
      const [problem] = check(ARTICLE, { title: 'Rain', state: 'gone' });
      expect(problem?.message).toContain('draft');
    });

    it('reports 20 problems at most, and at least one of a long value', () => {
      const numbers = (n: number) => Array.from({ length: n }, (_, i) => i);
      const schema = { type: 'object', properties: { tags: { type: 'array', items: { type: 'string' } } } };
      expect(check(schema, { tags: numbers(100) })).toHaveLength(20);
      expect(check(schema, { tags: numbers(100_000) }).length).toBeGreaterThan(0);
    });

    it('sees only own members, whatever their names', () => {
      const schema = { type: 'object', required: ['toString', 'constructor'] };
      expect(paths(schema, {})).toEqual(['/toString', '/constructor']);
      expect(paths(schema, { toString: 1, constructor: 2 })).toEqual([]);
      expect(paths(schema, JSON.parse('{"__proto__":{"toString":1,"constructor":2}}'))).toHaveLength(2);
    });

    it('changes no value: defaults are not filled in', () => {
      const value = {};
      check({ type: 'object', properties: { a: { type: 'integer', default: 1 } } }, value);
      expect(value).toEqual({});
    });

    it.each([
      ['text', ['']],
      [[], ['']],
      [{ type: 'text' }, ['/type']],
      [{ properties: { a: { minimum: 'x' } } }, ['/properties/a/minimum']],
      [{ properties: { a: { type: 'string', format: 'phone' } } }, ['/properties/a/format']],
      [{ $ref: 'https://example.org/other' }, ['/$ref']],
      [{ $ref: 'other#/a' }, ['/$ref']],
      [{ $ref: '#/$defs/nothing' }, ['/$ref']],
      [{ $defs: { 'a/b': { $ref: '#nothing' } } }, ['/$defs/a~1b/$ref']],
      [{ $schema: 'http://json-schema.org/draft-07/schema#' }, ['/$schema']],
      [{ properties: { a: { $id: 'https://example.org/a' } } }, ['/properties/a/$id']],
      [{ properties: { a: { type: 'string', pattern: '(?=a)b' } } }, ['/properties/a/pattern']],
      [{ properties: { a: { type: 'string', pattern: '(a)\\1' } } }, ['/properties/a/pattern']],
      [{ properties: { a: { type: 'string', pattern: '(' } } }, ['/properties/a/pattern']],
      [{ patternProperties: { '[': {} } }, ['/patternProperties/[']],
      [{ $dynamicRef: 'https://example.org/other#a' }, ['/$dynamicRef']],
      [{ $ref: '#' }, ['']],
      [{ $dynamicRef: '#a', $dynamicAnchor: 'a' }, ['']],
      [{ anyOf: [{ $ref: '#/$defs/a' }], $defs: { a: { not: { $ref: '#' } } } }, ['']],
    ])('refuses %j and says where', (schema, expected) => {
      expect(refused(schema).slice(0, expected.length)).toEqual(expected);
    });

    it('refuses schemas that are too deep, or of which too many apply to one value', () => {
      const deep = (levels: number): JsonValue => (levels === 0 ? {} : { items: deep(levels - 1) });
      expect(refused(deep(90))).toHaveLength(1);
      const doubling = Array.from({ length: 30 }, (_, i) => [
        `d${i}`,
        i === 0 ? { type: 'object' } : { anyOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] },
      ]);
      expect(refused({ $ref: '#/$defs/d29', $defs: Object.fromEntries(doubling) }).length).toBeGreaterThan(0);
    });

    it('bounds the time that hostile values take', () => {
      const slow = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
      expect(paths(slow, { a: `${'a'.repeat(5_000)}!` })).toEqual(['/a']);
      expect(check(ALTERNATIVES, nested(100)).length).toBeGreaterThan(0);
      const unique = { type: 'object', properties: { a: { type: 'array', uniqueItems: true } } };
      const elements = Array.from({ length: 20_000 }, (_, i) => ({ i, j: { i } }));
      expect(check(unique, { a: elements })).toEqual([]);
      expect(paths(unique, { a: [...elements, { j: { i: 5 }, i: 5 }] })).toEqual(['/a']);
      const formats = ['date-time', 'duration', 'email', 'hostname', 'ipv6', 'uri', 'uri-reference', 'json-pointer'];
      for (const format of formats) {
        const schema = { type: 'object', properties: { a: { type: 'string', format } } };
        for (const part of ['a', '1', '.', ':', '/', '-', 'a.', '%41', '1:', 'P1']) {
          expect(check(schema, { a: `${part.repeat(50_000)}\n` }).length).toBe(1);
        }
      }
    });

    it.each<[string, JsonObject, JsonObject, JsonObject]>([
      [
        'tuples without a length',
        { properties: { a: { prefixItems: [{ type: 'integer' }] } } },
        { a: [1, 'x'] },
        { a: ['x'] },
      ],
      [
        'unions of types with their keywords',
        { properties: { a: { type: ['string', 'integer'], minLength: 2, minimum: 5 } } },
        { a: 7 },
        { a: 'x' },
      ],
      ['keywords without their type', { properties: { a: { minLength: 2 } } }, { a: 1 }, { a: 'x' }],
      ['required members without properties', { required: ['a'] }, { a: 1 }, {}],
      [
        'unknown keywords, which are annotations',
        { kind: 'x', properties: { a: { 'x-order': 1, nullable: true, type: 'string' } } },
        { a: '' },
        { a: null },
      ],
      [
        'annotations of other drafts',
        {
          properties: { a: { type: 'object', dependencies: { b: ['c'] }, additionalItems: 1 } },
        },
        { a: { b: 1, c: 1 } },
        { a: { b: 1 } },
      ],
      [
        '`then` and `else` without `if`',
        { ...Object.fromEntries([['then', false]]), else: false, required: ['a'] },
        { a: 1 },
        {},
      ],
      ['`if` alone', { if: { required: ['b'] }, required: ['a'] }, { a: 1 }, {}],
      [
        'bounds of `contains` without it',
        { properties: { a: { minContains: 2, maxItems: 1 } } },
        { a: [1] },
        { a: [1, 2] },
      ],
      [
        '`contains` with bounds',
        { properties: { a: { contains: { const: 1 }, minContains: 0, maxContains: 1 } } },
        { a: [] },
        { a: [1, 1] },
      ],
      [
        'tuples with other elements',
        { properties: { a: { prefixItems: [true], items: { type: 'string' } } } },
        { a: [1, 'x'] },
        { a: [1, 2] },
      ],
      [
        'unevaluated elements',
        { properties: { a: { prefixItems: [true], unevaluatedItems: false } } },
        { a: [1] },
        { a: [1, 2] },
      ],
      [
        'patterns that match properties',
        { properties: { ab: { type: 'integer' } }, patternProperties: { '^a': { minimum: 2 } } },
        { ab: 2 },
        { ab: 1 },
      ],
      [
        'dynamic references',
        { $dynamicAnchor: 'node', properties: { next: { $dynamicRef: '#node' }, n: { type: 'integer' } } },
        { next: { n: 1 } },
        { next: { n: 'x' } },
      ],
      [
        'references by anchors next to keywords',
        { properties: { a: { $ref: '#n', maximum: 3 } }, $defs: { x: { $anchor: 'n', type: 'integer' } } },
        { a: 3 },
        { a: 4 },
      ],
      [
        'content keywords',
        {
          properties: {
            a: {
              type: 'string',
              contentEncoding: 'base64',
              contentMediaType: 'application/json',
              contentSchema: { type: 'object' },
            },
          },
        },
        { a: '!' },
        { a: 1 },
      ],
      ['schemas that are booleans', { properties: { a: true, b: false } }, { a: 1 }, { b: 1 }],
      [
        'defaults and examples of another type',
        { properties: { a: { type: 'integer', default: 'x', examples: [null] } } },
        { a: 1 },
        { a: 'x' },
      ],
      ['multiples of decimal fractions', { properties: { a: { multipleOf: 0.01 } } }, { a: 19.99 }, { a: 19.995 }],
      [
        'dependent members',
        { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { required: ['d'] } } },
        { a: 1, b: 1 },
        { c: 1 },
      ],
      ['names of members', { propertyNames: { maxLength: 1 } }, { a: 1 }, { ab: 1 }],
      ['a format without a type', { properties: { a: { format: 'date' } } }, { a: 1 }, { a: 'x' }],
      [
        'the name of the draft and an id',
        {
          $id: 'https://example.org/a',
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          $comment: '',
          $vocabulary: { 'https://example.org/v': false },
          required: ['a'],
        },
        { a: 1 },
        {},
      ],
    ])('accepts what draft 2020-12 allows: %s', (_what, schema, good, bad) => {
      expect(check(schema, good)).toEqual([]);
      expect(check(schema, bad)).not.toEqual([]);
    });

    it.each([
      ['date-time', '2014-01-31T09:12:03.512Z', true],
      ['date-time', '2014-01-31t09:12:03+02:00', true],
      ['date-time', '1990-12-31T23:59:60Z', true],
      ['date-time', '2014-01-31T09:12:03.512+0000', false],
      ['date-time', '2014-01-31T09:12:03+00', false],
      ['date-time', '2014-01-31 09:12:03Z', false],
      ['date-time', '2014-01-31T09:12:03', false],
      ['date-time', '2014-02-30T09:12:03Z', false],
      ['time', '09:12:03+01:00', true],
      ['time', '09:12:03+0100', false],
      ['date', '2014-01-31', true],
    ])('checks %s by RFC 3339: %s', (format, a, isValid) => {
      expect(check({ properties: { a: { format } } }, { a }).length).toBe(isValid ? 0 : 1);
    });

    it('accepts common schemas: unions of types, conditions, references beside other keywords, anchors', () => {
      const schema = {
        type: 'object',
        properties: {
          a: { type: ['string', 'null'] },
          b: { $ref: '#positive', description: 'beside', maximum: 5 },
          kind: { const: 'x' },
        },
        if: { properties: { kind: { const: 'x' } }, required: ['kind'] },
        ...Object.fromEntries([['then', { required: ['b'] }]]),
        unevaluatedProperties: false,
        $defs: { positive: { $anchor: 'positive', type: 'integer', minimum: 1 } },
      };
      expect(paths(schema, { a: null, kind: 'x', b: 3 })).toEqual([]);
      expect(paths(schema, { a: 1 })).toEqual(['/a']);
      expect(paths(schema, { b: 9 })).toEqual(['/b']);
      expect(paths(schema, { b: 0 })).toEqual(['/b']);
      expect(paths(schema, { kind: 'x' })).toContain('/b');
    });
  });
}
