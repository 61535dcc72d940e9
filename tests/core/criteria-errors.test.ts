import type { QueryText } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { query } from '../support/criteria.ts';

/** The detail of the failure with which these parts are rejected. */
function refusal(parts: Partial<QueryText>): string {
  try {
    query(parts);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    expect(code).toBe('criteria.invalid');
    return message.replace('Invalid query: ', '');
  }
  throw new Error(`accepted: ${JSON.stringify(parts)}`);
}

const nested = (levels: number) => `${'('.repeat(levels)}a = 1${')'.repeat(levels)}`;
const conditions = (count: number) => Array.from({ length: count }, () => 'a = 1').join(' and ');

describe('an invalid condition', () => {
  it.each<[string, number, string, string]>([
    ['a', 2, 'an operator such as =', 'the end'],
    ['a b', 3, 'an operator such as =', '"b"'],
    ['a =', 4, 'a name or a value', 'the end'],
    ['= 1', 1, 'a name or a value', '"="'],
    ['a = 1 b', 7, 'and, or, or the end', '"b"'],
    ['a = 1 and', 10, 'a name or a value', 'the end'],
    ['and a = 1', 1, 'a name or a value', '"and"'],
    ['a = 1 and or b = 2', 11, 'a name or a value', '"or"'],
    ['a and b = 1', 3, 'an operator such as =', '"and"'],
    ['a = = 1', 5, 'a name or a value', '"="'],
    ['a == 1', 4, 'a name or a value', '"="'],
    ['a = 1 = 1', 7, 'and, or, or the end', '"="'],
    ['a = (b = 1)', 5, 'a name or a value', '"("'],
    ['a = not b', 10, 'an operator such as =', 'the end'],
    ['a = not b = 1', 5, 'a name or a value', '"not"'],
    ['(a = 1', 7, '")"', 'the end'],
    ['a = 1)', 6, 'and, or, or the end', '")"'],
    ['()', 2, 'a name or a value', '")"'],
    ['a = 1; drop table x', 6, 'a name, a value or an operator', '";"'],
    ['a = 1 -- comment', 7, 'a name, a value or an operator', '"-"'],
    ['a = 1 /* comment */', 7, 'a name, a value or an operator', '"/"'],
    ['a = 1 # comment', 7, 'a name, a value or an operator', '"#"'],
    ['a = 1 || 1', 7, 'a name, a value or an operator', '"|"'],
    ['a = 1 union select 1', 7, 'and, or, or the end', '"union"'],
    ['a in (select b from c)', 7, 'a literal or ?', '"select"'],
    ['exists (select 1)', 1, 'date(…), sysdate(), distance(…) or a name', '"exists"'],
    ['a = sleep(5)', 5, 'date(…), sysdate(), distance(…) or a name', '"sleep"'],
    ['a = __proto__(5)', 5, 'date(…), sysdate(), distance(…) or a name', '"__proto__"'],
    ['a.constructor() = 1', 3, 'one of .toLowerCase() .toUpperCase() .length() .size()', '"constructor"'],
    ['a.size(1) = 1', 8, '")"', '"1"'],
    ['a.size = 1 and a.size(', 23, '")"', 'the end'],
    ['a + 1 = 2', 3, 'a name, a value or an operator', '"+"'],
    ['a = 1-2', 6, 'and, or, or the end', '"-2"'],
    ["a = 'x", 7, "the closing '", 'the end'],
    ['a = "x\'', 8, 'the closing "', 'the end'],
    ['`a = 1', 7, 'the closing `', 'the end'],
    ["a = 'x\\d'", 8, 'one of \\ \' " ` / b f n r t u % _', 'something else'],
    ["a = 'x\\u12'", 9, 'four hexadecimal digits', 'something else'],
    ["a = '\\u0000'", 5, 'Unicode text without U+0000', 'something else'],
    ["a = '\\ud800'", 5, 'Unicode text without U+0000', 'something else'],
    ["a = '\0'", 5, 'Unicode text without U+0000', 'something else'],
    ['a = \ud800', 5, 'a name, a value or an operator', '"\\ud800"'],
    ['a = 01', 5, 'a number as in JSON, or a name (in backticks when it begins with a digit)', '"01"'],
    ['a = 1x', 5, 'a number as in JSON, or a name (in backticks when it begins with a digit)', '"1"'],
    ['a = 1e999', 5, 'a number as in JSON, or a name (in backticks when it begins with a digit)', '"1e999"'],
    ['a = 1.', 7, 'one of .toLowerCase() .toUpperCase() .length() .size()', 'the end'],
    ['a = .5', 5, 'a name or a value', '"."'],
    ['a. = 1', 4, 'a name', '"="'],
    ['a[] = 1', 3, 'an index: a whole number from 0', '"]"'],
    ['a[-1] = 1', 3, 'an index: a whole number from 0', '"-1"'],
    ['a[1.5] = 1', 3, 'an index: a whole number from 0', '"1.5"'],
    ["a['x'] = 1", 3, 'an index: a whole number from 0', 'a text'],
    ['a[1 = 1', 5, '"]"', '"="'],
    ['a is 5', 6, '"null"', '"5"'],
    ['a is not 5', 10, '"null"', '"5"'],
    ['a not 5', 7, 'like, in or between', '"5"'],
    ['a like 5', 8, 'a text or ?', '"5"'],
    ['a like b', 8, 'a text or ?', '"b"'],
    ['a containsText null', 16, 'a text or ?', '"null"'],
    ['a in b', 6, 'a list, as in [1, 2], or ?', '"b"'],
    ['a in [1 2]', 9, '"," or "]"', '"2"'],
    ['a in [1,]', 9, 'a literal or ?', '"]"'],
    ['a in (1]', 8, '"," or ")"', '"]"'],
    ['a in [[1]]', 7, 'a literal or ?', '"["'],
    ['a contains b', 12, 'a literal, ? or a condition in parentheses', '"b"'],
    ['a contains (b)', 12, 'a literal, ? or a condition in the parentheses', '"("'],
    ['a contains null', 12, 'a literal, ? or a condition in parentheses', '"null"'],
    ['a between 1', 12, '"and"', 'the end'],
    ['a between 1 and', 16, 'a name or a value', 'the end'],
    ['null = null', 8, 'a name or a value other than null', '"null"'],
    ['null like 1', 1, 'a name or a value other than null', '"null"'],
    ["date('2014-02-30') = 1", 6, 'a date such as 2014-01-31 or 2014-01-31T09:12:03.512Z', 'a text'],
    ["date('9999-12-31T23:59-01') = 1", 6, 'a date such as 2014-01-31 or 2014-01-31T09:12:03.512Z', 'a text'],
    ['date(a) = 1', 6, 'a text or ?', '"a"'],
    ['sysdate(1) = a', 9, '")"', '"1"'],
    ['distance(1, 2, 3) < 1', 17, '","', '")"'],
    ['distance(1, distance(1, 2, 3, 4), 3, 4) < 1', 13, 'a name, a number or ?', '"distance"'],
    ['日本 😀 = 1', 4, 'a name, a value or an operator', '"😀"'],
    ["a = '😀' b", 9, 'and, or, or the end', '"b"'],
    [`a = 1 ${'x'.repeat(1000)}`, 7, 'and, or, or the end', `"${'x'.repeat(20)}…"`],
    [nested(33), 34, 'at most 32 levels', '"a"'],
    [`${'not '.repeat(33)}a = 1`, 133, 'at most 32 levels', '"a"'],
    [`a${'.length()'.repeat(33)} = 1`, 291, 'at most 32 levels', '"length"'],
    [conditions(26), 251, 'at most 100 names, values and conditions', '"a"'],
    [`a${'.b'.repeat(201)} = 1`, 403, 'at most 200 steps in a path', '"b"'],
    ['x'.repeat(4097), 1, 'at most 4096 characters', 'more'],
    ['😀'.repeat(4097), 1, 'at most 4096 characters', 'more'],
  ])('%s', (where, position, expected, found) => {
    expect(refusal({ where })).toBe(`where, character ${position}: expected ${expected}, found ${found}`);
  });

  it('is accepted when it is just small enough', () => {
    expect(query({ where: nested(32) }).where).toMatchObject({ kind: 'compare' });
    expect(query({ where: conditions(25) }).where).toMatchObject({ conditions: { length: 25 } });
    expect(query({ where: `a = '${'😀'.repeat(4090)}'` }).where).toMatchObject({ kind: 'compare' });
  });
});

describe('parameters', () => {
  it.each<[string, string[], string]>([
    ['a = ?', [], 'where, character 5: expected parameter number 1 in params, found "?"'],
    ['a = ? and b = ?', ['x'], 'where, character 15: expected parameter number 2 in params, found "?"'],
    ['a = 1', ['x'], 'params: expected one for each ? (0), found 1'],
    ['a = ?', ['x', 'y'], 'params: expected one for each ? (1), found 2'],
    ['a = ?', ['\0'], 'params, number 1: expected Unicode text without U+0000, found something else'],
    ['a = ?', ['\udc00'], 'params, number 1: expected Unicode text without U+0000, found something else'],
    [
      'date(?) = a',
      ['x'],
      'where, character 6: expected a date such as 2014-01-31 or 2014-01-31T09:12:03.512Z, found "?"',
    ],
  ])('%s with %j', (where, params, expected) => {
    expect(refusal({ where, params })).toBe(expected);
  });

  it.each(['x', '5', '{}', '[[]]', '[{}]', '["\\ud800"]', '[1,]', `[${'0,'.repeat(1000)}0]`])(
    'are rejected when they are no list: %s',
    (text) => {
      expect(refusal({ where: 'a in ?', params: [text] })).toBe(
        'where, character 6: expected a parameter that is a JSON array of at most 1000 scalars, found "?"',
      );
    },
  );
});

describe('another invalid part', () => {
  it.each<[Partial<QueryText>, string]>([
    [{ orderBy: 'a,' }, 'orderBy, character 3: expected a name or a value, found the end'],
    [{ orderBy: 'a descending' }, 'orderBy, character 3: expected "," or the end, found "descending"'],
    [{ orderBy: 'asc' }, 'orderBy, character 1: expected a name or a value, found "asc"'],
    [{ orderBy: 'a asc desc' }, 'orderBy, character 7: expected "," or the end, found "desc"'],
    [{ orderBy: 'a.size()' }, 'orderBy, character 3: expected .toLowerCase(), found "size"'],
    [{ orderBy: "'a'" }, 'orderBy, character 1: expected a name or a value, found a text'],
    [{ orderBy: 'a; b' }, 'orderBy, character 2: expected a name, a value or an operator, found ";"'],
    [{ orderBy: Array(17).fill('a').join() }, 'orderBy, character 33: expected at most 16 names, found "a"'],
    [{ groupBy: 'a desc' }, 'groupBy, character 3: expected "," or the end, found "desc"'],
    [{ fields: '*' }, 'fields, character 1: expected a name, an aggregate or distance(…), found "*"'],
    [{ fields: '1' }, 'fields, character 1: expected a name, an aggregate or distance(…), found "1"'],
    [{ fields: 'sysdate()' }, 'fields, character 1: expected a name, an aggregate or distance(…), found "sysdate"'],
    [{ fields: 'sum(*)' }, 'fields, character 5: expected a name or a value, found "*"'],
    [{ fields: 'sum(a.size())' }, 'fields, character 7: expected a name: methods are not allowed here, found "size"'],
    [
      { fields: 'median(a)' },
      'fields, character 1: expected date(…), sysdate(), distance(…) or a name, found "median"',
    ],
    [{ fields: 'a as' }, 'fields, character 5: expected a name, found the end'],
    [{ fields: 'a as and' }, 'fields, character 6: expected a name, found "and"'],
    [{ fields: 'a b' }, 'fields, character 3: expected "," or the end, found "b"'],
    [{ fields: 'a, a' }, 'fields, character 4: expected a name that no other field has (use "as"), found "a"'],
    [
      { fields: 'count(*), count(a)' },
      'fields, character 11: expected a name that no other field has (use "as"), found "count"',
    ],
    [
      {
        fields: Array(101)
          .fill('a')
          .map((a, i) => a + i)
          .join(),
      },
      /at most 100 names, values and conditions/ as never,
    ],
  ])('%j', (parts, expected) => {
    expect(refusal(parts)).toMatch(expected);
  });
});
