import { isAppError, matches, resolverOf } from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../packages/contracts/src/any-text.ts';
import { createParams } from '../../packages/core/src/criteria/params.ts';
import { createReader, type TokenReader } from '../../packages/core/src/criteria/reader.ts';
import { tokenize } from '../../packages/core/src/criteria/tokens.ts';
import { parseCondition } from '../../packages/core/src/criteria/where.ts';
import { NOW, query } from '../support/criteria.ts';

/** The pieces of attacks on other languages, and the pieces of this language. */
const FRAGMENTS = [
  ...["'", '"', '`', '\\', "''", "\\'", ';', '; drop table documents', '--', '-- -', '/*', '*/', '#', '||', '&&', '\0'],
  ...[' union select * from users', '(select 1)', 'exists(', 'sleep(5)', 'pg_sleep(5)', 'char(39)', 'cast(a as int)'],
  ...[
    'load_extension(1)',
    '$$',
    '$1',
    '?1',
    ':a',
    '@@version',
    '%00',
    '\ud800',
    '\udfff',
    '😀',
    '\u202e',
    'ﬁ',
    '\ufeff',
  ],
  ...['{"$gt":""}', '$where', '__proto__', 'constructor', 'a.constructor.prototype', '[0]', '[', ']', '(', ')', ','],
  ...[
    'a',
    'b.c',
    'tags[0]',
    '`x y`',
    ' = ',
    ' <> ',
    ' < ',
    '!=',
    '>=',
    "'x'",
    '"y"',
    '5',
    '-1e9',
    '1e999',
    '0x10',
    '.',
    '?',
  ],
  ...[
    ' and ',
    ' or ',
    ' not ',
    ' is null',
    ' is not null',
    ' like ',
    ' in ',
    ' between ',
    ' contains ',
    ' containsText ',
  ],
  ...[
    'null',
    'true',
    'false',
    "date('2014-01-31')",
    'sysdate()',
    'distance(1,2,3,4)',
    '.size()',
    '.toLowerCase()',
    ' ',
  ],
  ...['a = 1', "b like '%x%'", 'tags contains (a = 1)', 'a in [1, 2]', 'a between 1 and 2', "not (a = 'x')"],
];

const fragment = fc.constantFrom(...FRAGMENTS);
const joined = fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join(''));
const deep = fc
  .tuple(
    fc.constantFrom('(', 'not ', 'a contains (', 'a in [', '[', '{', "'", 'a.', 'a = 1 and ', '-'),
    fc.nat(3000),
    joined,
  )
  .map(([piece, count, rest]) => piece.repeat(count) + rest);
const long = fc.tuple(fragment, fc.nat(5000)).map(([piece, count]) => piece.repeat(count).slice(0, 20_000));
const any = anyText({ maxLength: 60 });
const valid = fc.array(fc.constantFrom('a = 1', "b.c like 'x%'", 'd is null', 'e in [1, 2]', '(f > 5)'), {
  minLength: 1,
  maxLength: 8,
});
/** A valid condition with one piece inserted at a position where it may be invalid. */
const broken = fc.tuple(valid, fragment, fc.nat()).map(([parts, piece, place]) => {
  const text = parts.join(' and ');
  const at = place % (text.length + 1);
  return text.slice(0, at) + piece + text.slice(at);
});
const hostile = fc.oneof(joined, deep, long, any, broken);

const RUNS = 10_000;

/** Calls of the token reader: all work of the parser happens between two of them. */
function counted(reader: TokenReader): { reader: TokenReader; calls: () => number } {
  let calls = 0;
  const count =
    <A extends unknown[], R>(work: (...args: A) => R) =>
    (...args: A): R => {
      calls++;
      return work(...args);
    };
  const { peek, take, keyword, accept, expect: expects, isFollowedBy, unexpected, refuseDeeper } = reader;
  const wrapped: TokenReader = {
    peek: count(peek),
    take: count(take),
    keyword: count(keyword),
    accept: count(accept),
    expect: count(expects),
    isFollowedBy: count(isFollowedBy),
    unexpected: count(unexpected),
    refuseDeeper: count(refuseDeeper),
    count: count(reader.count),
    deeper: (work) => reader.deeper(work),
  };
  return { reader: wrapped, calls: () => calls };
}

const REFUSALS = ['criteria.invalid', 'json.number_inexact'];

describe(`${RUNS} hostile conditions`, () => {
  it('are rejected with a failure of the catalogue, or are valid', () => {
    const seen = { parsed: 0, refused: 0 };
    const document = resolverOf({ a: 1, b: { c: 'x' }, tags: [{ a: 1 }, 'x'] });
    fc.assert(
      fc.property(hostile, fc.array(any, { maxLength: 3 }), (where, params) => {
        try {
          const parsed = query({ where, params }).where;
          if (parsed !== null) expect(typeof matches(parsed, document)).toBe('boolean');
          seen.parsed++;
        } catch (error) {
          expect(REFUSALS).toContain(isAppError(error) && error.code);
          expect((error as Error).message.length).toBeLessThan(300);
          seen.refused++;
        }
      }),
      { numRuns: RUNS },
    );
    expect(seen.parsed).toBeGreaterThan(RUNS / 100);
    expect(seen.refused).toBeGreaterThan(RUNS / 2);
  });

  it('cost work in proportion to their length', () => {
    const params = createParams(Array.from({ length: 100 }, () => 'x'));
    fc.assert(
      fc.property(hostile, (where) => {
        try {
          const tokens = tokenize('where', where).length;
          expect(tokens).toBeLessThanOrEqual(where.length + 1);
          const { reader, calls } = counted(createReader('where', where));
          try {
            parseCondition({ reader, params, now: () => NOW });
          } catch (error) {
            if (!isAppError(error)) throw error;
          }
          // No token is examined by more than a handful of rules: the parser does not backtrack.
          expect(calls()).toBeLessThanOrEqual(30 * tokens);
        } catch (error) {
          if (!isAppError(error)) throw error;
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('in the other parts are rejected, or are valid', () => {
    fc.assert(
      fc.property(hostile, fc.constantFrom('orderBy', 'fields', 'groupBy'), (text, part) => {
        try {
          query({ [part]: text });
        } catch (error) {
          expect(REFUSALS).toContain(isAppError(error) && error.code);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
