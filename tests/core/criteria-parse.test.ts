import type { Condition, Operand, Query } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { at, condition, constant, query } from '../support/criteria.ts';

const a = at('a');
const equal = (left: Operand, right: Operand): Condition => ({ kind: 'compare', operator: '=', left, right });
const [one, two, three] = [equal(a, constant(1)), equal(at('b'), constant(2)), equal(at('c'), constant(3))];
const isNull: Condition = { kind: 'null', operand: a };
const never: Condition = { kind: 'in', operand: a, values: [] };
const not = (inner: Condition): Condition => ({ kind: 'not', condition: inner });
const and = (...conditions: Condition[]): Condition => ({ kind: 'and', conditions });
const or = (...conditions: Condition[]): Condition => ({ kind: 'or', conditions });

describe('the condition of a query', () => {
  it.each<[string, Condition]>([
    ['a = 1', one],
    ['a=1', one],
    ['  a\t=\r\n1 ', one],
    ['(a = 1)', one],
    ['((a) = ((1)))', one],
    ['a <> 1', { ...one, operator: '<>' } as Condition],
    ['a != 1', { ...one, operator: '<>' } as Condition],
    ['a < 1', { ...one, operator: '<' } as Condition],
    ['a <= 1', { ...one, operator: '<=' } as Condition],
    ['a > 1', { ...one, operator: '>' } as Condition],
    ['a >= 1', { ...one, operator: '>=' } as Condition],
    ['1 = a', equal(constant(1), a)],
    ['a = b', equal(a, at('b'))],
    ['a = 1 and b = 2', and(one, two)],
    ['a = 1 AND b = 2 And c = 3', and(one, two, three)],
    ['a = 1 or b = 2 OR c = 3', or(one, two, three)],
    ['a = 1 or b = 2 and c = 3', or(one, and(two, three))],
    ['a = 1 and b = 2 or c = 3', or(and(one, two), three)],
    ['a = 1 and (b = 2 or c = 3)', and(one, or(two, three))],
    ['not a = 1', not(one)],
    ['not a = 1 and b = 2', and(not(one), two)],
    ['not (a = 1 and b = 2)', not(and(one, two))],
    ['NOT not a = 1', not(not(one))],
    ['a is null', isNull],
    ['a IS NOT NULL', not(isNull)],
    ['a = null', isNull],
    ['null = a', isNull],
    ['a <> null', not(isNull)],
    ['a != null', not(isNull)],
    ['a < null', never],
    ['null >= a', never],
    ["a like 'x%_'", { kind: 'like', operand: a, pattern: 'x%_' }],
    ["a not like 'x'", not({ kind: 'like', operand: a, pattern: 'x' })],
    ["a like '50\\%\\_'", { kind: 'like', operand: a, pattern: '50\\%\\_' }],
    ["a like 'b\\\\c'", { kind: 'like', operand: a, pattern: 'bc' }],
    ["a like 'b\\\\\\\\c'", { kind: 'like', operand: a, pattern: 'b\\\\c' }],
    ["a like 'b\\\\'", { kind: 'like', operand: a, pattern: 'b\\\\' }],
    ["a containsText 'x'", { kind: 'containsText', operand: a, text: 'x' }],
    ["a CONTAINSTEXT ''", { kind: 'containsText', operand: a, text: '' }],
    ["a in ['x', 1, true]", { kind: 'in', operand: a, values: [constant('x'), constant(1), constant(true)] }],
    ['a in (1, 2)', { kind: 'in', operand: a, values: [constant(1), constant(2)] }],
    ['a in []', never],
    ['a in ()', never],
    ['a not in [1]', not({ kind: 'in', operand: a, values: [constant(1)] })],
    ['a in [1, null]', or({ kind: 'in', operand: a, values: [constant(1)] }, isNull)],
    ["a in [date('2014-01-31')]", { kind: 'in', operand: a, values: [constant('2014-01-31T00:00:00.000+0000')] }],
    ["'x' in a", { kind: 'contains', operand: a, value: constant('x') }],
    ["'x' not in a", not({ kind: 'contains', operand: a, value: constant('x') })],
    ["a contains 'x'", { kind: 'contains', operand: a, value: constant('x') }],
    ["a contains ('x')", { kind: 'contains', operand: a, value: constant('x') }],
    ['a contains (b = 2)', { kind: 'some', operand: a, condition: two }],
    ['a contains (b = 2 or c = 3)', { kind: 'some', operand: a, condition: or(two, three) }],
    [
      'a between 1 and 2 and b = 2',
      and(
        and({ ...one, operator: '>=' } as Condition, { ...one, operator: '<=', right: constant(2) } as Condition),
        two,
      ),
    ],
    ['a not between null and 1', not(and(never, { ...one, operator: '<=' } as Condition))],
  ])('%s', (text, expected) => {
    expect(condition(text)).toEqual(expected);
  });

  it.each<[string, Operand]>([
    ['a', at('a')],
    ['a.b.c', at('a', 'b', 'c')],
    ['a[0]', at('a', 0)],
    ['a[0][12].b', at('a', 0, 12, 'b')],
    ['`a.b`', at('a.b')],
    ['`a``b`', at('a`b')],
    ['``', at('')],
    ['`and`.`a[0]`[1]', at('and', 'a[0]', 1)],
    ['a.and.null', at('a', 'and', 'null')],
    ['a.0.5x', at('a', '0', '5x')],
    ['@version', at('@version')],
    ['$x_1', at('$x_1')],
    ['_author', at('_author')],
    ['été', at('été')],
    ['日本.語', at('日本', '語')],
    ['हिन्दी', at('हिन्दी')],
    ['__proto__.constructor', at('__proto__', 'constructor')],
    ['date', at('date')],
    ['count.distance', at('count', 'distance')],
    ["'x'", constant('x')],
    ['"x"', constant('x')],
    ["'it''s'", constant("it's")],
    ['"say ""hi"""', constant('say "hi"')],
    ["'it\\'s'", constant("it's")],
    ["'\\\\ \\n \\t \\u00e9 \\ud83d\\ude00'", constant('\\ \n \t é 😀')],
    ["'😀 `--` ; /* */'", constant('😀 `--` ; /* */')],
    ['5', constant(5)],
    ['-0.1e-7', constant(-1e-8)],
    ['-0', constant(0)],
    ['1E3', constant(1000)],
    ['true', constant(true)],
    ['FALSE', constant(false)],
    ['a.size()', { kind: 'call', method: 'size', of: at('a') }],
    ['a[0].b.length()', { kind: 'call', method: 'length', of: at('a', 0, 'b') }],
    ['a.tolowercase()', { kind: 'call', method: 'toLowerCase', of: at('a') }],
    [
      "'x'.toUpperCase().length()",
      { kind: 'call', method: 'length', of: { kind: 'call', method: 'toUpperCase', of: constant('x') } },
    ],
    ["date('2014-01-31')", constant('2014-01-31T00:00:00.000+0000')],
    ["DATE('2014-01-31T09:12:03.512+0130')", constant('2014-01-31T07:42:03.512+0000')],
    ["date('2014-01-31T09:12Z')", constant('2014-01-31T09:12:00.000+0000')],
    ["date('2014-01-31 09:12:03,5-01')", constant('2014-01-31T10:12:03.500+0000')],
    ["date('0001-01-01')", constant('0001-01-01T00:00:00.000+0000')],
    ['sysdate()', constant('2026-10-10T10:20:30.405+0000')],
    ['distance(lat, p.lon, 1, -2)', { kind: 'distance', of: [at('lat'), at('p', 'lon'), constant(1), constant(-2)] }],
  ])('accepts the value %s', (text, expected) => {
    expect(condition(`${text} = x`)).toEqual(equal(expected, at('x')));
    expect(condition(`x = ${text}`)).toEqual(equal(at('x'), expected));
  });

  it('binds parameters in their order', () => {
    const values = [constant('x', true), constant('', true)];
    expect(condition('a in [?, ?] and b = ?', 'x', '', '5')).toEqual(
      and({ kind: 'in', operand: a, values }, equal(at('b'), constant('5', true))),
    );
    expect(condition('a like ?', '\\d%')).toEqual({ kind: 'like', operand: a, pattern: 'd%' });
    expect(condition('a containsText ?', '5')).toEqual({ kind: 'containsText', operand: a, text: '5' });
    expect(condition('? in a', 'x')).toEqual({ kind: 'contains', operand: a, value: constant('x', true) });
    expect(condition('a > date(?)', '2014-01-31')).toMatchObject({ right: constant('2014-01-31T00:00:00.000+0000') });
    expect(condition('distance(1, 2, ?, ?) < 1', '3', 'x')).toMatchObject({
      left: { of: [constant(1), constant(2), constant(3), constant('x')] },
    });
  });

  it('accepts a list as one parameter, whose elements keep their types', () => {
    expect(condition('a in ?', '["5", 5, true, null]')).toEqual(
      or({ kind: 'in', operand: a, values: [constant('5'), constant(5), constant(true)] }, isNull),
    );
    expect(condition('a not in ?', '[]')).toEqual(not(never));
    const many = Array.from({ length: 1000 }, (_, index) => index);
    expect(condition('a in ?', JSON.stringify(many))).toMatchObject({ values: { length: 1000 } });
  });
});

describe('the other parts of a query', () => {
  const parts = (text: Partial<Record<'orderBy' | 'groupBy' | 'fields', string>>): Partial<Query> => query(text);

  it('sort', () => {
    expect(parts({ orderBy: 'a, b.c[0] DESC,`x y` asc' }).order).toEqual([
      { path: ['a'], descending: false },
      { path: ['b', 'c', 0], descending: true },
      { path: ['x y'], descending: false },
    ]);
  });

  it('group', () => {
    expect(parts({ groupBy: 'a, `b c`.d' }).groupBy).toEqual([['a'], ['b c', 'd']]);
  });

  it('select fields, by their own name or an alias', () => {
    const { fields } = query({
      fields: 'a, b.c[0], `x y`, `x y`.`z`, a.size(), a as `the a`, distance(lat, lon, ?, 2), count as n',
      params: ['1'],
    });
    expect(fields?.map(({ as }) => as)).toEqual([
      'a',
      'b.c[0]',
      'x y',
      '`x y`.z',
      'a.size()',
      'the a',
      'distance',
      'n',
    ]);
    expect(fields?.[1]).toEqual({ kind: 'field', operand: at('b', 'c', 0), as: 'b.c[0]' });
  });

  it('aggregate objects', () => {
    expect(parts({ fields: 'count(*), COUNT(a) as n, sum(a.b), avg(a), min(a), max(a) as most' }).fields).toEqual([
      { kind: 'aggregate', name: 'count', path: null, as: 'count' },
      { kind: 'aggregate', name: 'count', path: ['a'], as: 'n' },
      { kind: 'aggregate', name: 'sum', path: ['a', 'b'], as: 'sum' },
      { kind: 'aggregate', name: 'avg', path: ['a'], as: 'avg' },
      { kind: 'aggregate', name: 'min', path: ['a'], as: 'min' },
      { kind: 'aggregate', name: 'max', path: ['a'], as: 'most' },
    ]);
  });

  it('share the parameters: those of the condition come first', () => {
    const parsed = query({ where: 'a = ?', fields: 'distance(lat, lon, ?, ?) as km', params: ['x', '1', '2'] });
    expect(parsed.where).toEqual(equal(a, constant('x', true)));
    expect(parsed.fields).toMatchObject([{ operand: { of: [at('lat'), at('lon'), constant(1), constant(2)] } }]);
  });

  it('are absent when they are empty', () => {
    const absent = { where: null, order: [], fields: null, groupBy: [] };
    expect(query({})).toEqual(absent);
    expect(query({ where: '', orderBy: ' ', fields: '\n', groupBy: '' })).toEqual(absent);
  });
});
