import { describe, expect, it } from 'vitest';
import { hrefOf, parsePlace } from '../../packages/console/src/address.ts';
import { texts } from '../../packages/console/src/texts.ts';
import {
  columnsOf,
  contentOf,
  defaultColumns,
  isNarrowColumn,
  isNumberColumn,
  nextOrder,
  parseOrder,
} from '../../packages/console/src/values/documents.ts';
import { cellText, createFormat } from '../../packages/console/src/values/format.ts';
import { parseObject } from '../../packages/console/src/values/json.ts';

describe('places', () => {
  it.each([
    [['users'], {}],
    [['users', 'a/b ?#%é'], {}],
    [['collections', 'notes'], { where: "title = 'a&b?' and n > 1", order: 'title desc' }],
  ])('survive the address: %j %j', (path, query) => {
    expect(parsePlace(hrefOf(path, query))).toEqual({ path, query });
  });

  it('leave out what is empty, and read what is no valid encoding', () => {
    expect(hrefOf(['users'], { find: '' })).toBe('#/users');
    expect(parsePlace('#/users/50%')).toEqual({ path: ['users', '50%'], query: {} });
    expect(parsePlace('')).toEqual({ path: [], query: {} });
  });
});

describe('JSON', () => {
  it('is an object, or has a problem', () => {
    expect(parseObject('{"a": [1]}')).toEqual({ value: { a: [1] } });
    for (const text of ['[]', '1', 'null', '"a"']) expect(parseObject(text)).toEqual({ problem: texts.json.notObject });
    expect(parseObject('{"a": }')).toEqual({ problem: expect.stringMatching(/JSON/) });
  });

  it('has no number whose digits a browser would change, and no name twice', () => {
    const problem = (text: string) => (parseObject(text) as { problem?: string }).problem;
    for (const number of ['12345678901234567890', '-9007199254740993', '1e400'])
      expect(problem(`{"a":[{"b":${number}}]}`)).toBe(texts.json.inexact(number));
    expect(problem('{"a":[1.5,9007199254740991,844197938335842300,1e21,"12345678901234567890","{",null]}')).toBe(
      undefined,
    );
    expect(problem('{"a":{"b":1,"\\u0062":2}}')).toBe(texts.json.repeated('"b"'));
    expect(problem('{"a":{"b":1},"b":"\\"a\\":"}')).toBe(undefined);
  });
});

describe('cells', () => {
  it('are short texts', () => {
    expect([cellText('<b>'), cellText({ a: 1 }), cellText(null), cellText(undefined)]).toEqual([
      '<b>',
      '{"a":1}',
      'null',
      '',
    ]);
    expect(cellText('x'.repeat(1000))).toHaveLength(81);
  });
});

describe('numbers and dates', () => {
  const date = '2026-03-01T12:30:05.123+0000';
  it.each([
    ['en-US', ['1,000', '999 B', '1.0 kB', '2.5 MB'], ['12,345', '2,320', '0.123'], 'Mar 1, 2026, 12:30:05 PM UTC'],
    ['de', ['1.000', '999 B', '1,0 kB', '2,5 MB'], ['12.345', '2.320', '0,123'], '1. März 2026, 12:30:05 UTC'],
  ])('are written as in the language %s', (tag, numbers, rounded, written) => {
    const { bytesText, dateText, numberText, shortNumberText } = createFormat(tag);
    expect([numberText(1000), bytesText(999), bytesText(1000), bytesText(2_500_000)]).toEqual(numbers);
    expect(dateText(date).replaceAll('\u202f', ' ')).toBe(written);
    expect([12_345, 2324.5, 0.1234].map(shortNumberText)).toEqual(rounded);
    expect([450, 450.4, 1e21].map(shortNumberText).join()).not.toContain('e');
    expect(dateText('soon')).toBe('soon');
  });
});

describe('documents', () => {
  const document = { id: 'x', '@version': 3, _author: 'ann', _allow: [], title: 'Milk', _mine: 1 };

  it('have content, and members of the service', () => {
    expect(contentOf(document)).toEqual({ title: 'Milk', _mine: 1 });
  });

  it('have columns, the most frequent one first', () => {
    expect(columnsOf([{ id: 'x', a: 1 }, { b: 1 }, { b: 2, c: 3 }])).toEqual(['b', 'a', 'c']);
  });

  it.each(['__proto__', 'constructor', 'toString'])('may have a member with the name %s', (name) => {
    const documents = [JSON.parse(`{"${name}":1}`), { other: 'x' }];
    expect(defaultColumns(documents)).toEqual(['other', name, '_author', '_update_date', 'id']);
    expect([isNumberColumn(documents, name), isNarrowColumn(documents, name)]).toEqual([true, false]);
    expect(isNumberColumn([{ other: 1 }], name)).toBe(false);
  });

  it('are ordered up, down, and not at all', () => {
    const orders = [nextOrder(null, 'a'), nextOrder(parseOrder('a asc'), 'a'), nextOrder(parseOrder('a desc'), 'a')];
    expect([...orders, nextOrder(parseOrder('b desc'), 'a')]).toEqual(['a asc', 'a desc', '', 'a asc']);
    expect([parseOrder(undefined), parseOrder('a; drop'), parseOrder('a asc')]).toEqual([
      null,
      null,
      { by: 'a', direction: 'asc' },
    ]);
  });
});
