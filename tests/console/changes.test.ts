import { describe, expect, it } from 'vitest';
import { isSame, merged, patchOf } from '../../packages/console/src/values/changes.ts';
import { parseObject } from '../../packages/console/src/values/json.ts';
import { breakOf, withBreaksOf } from '../../packages/console/src/values/lines.ts';
import { inputText, readInput } from '../../packages/console/src/values/schema-fields.ts';

/** Returns what a form reads when its input shows a value, after other texts were typed into it. */
function retyped(kind: 'text' | 'number' | 'integer' | 'date' | 'json', value: unknown) {
  const shown = inputText({ kind }, value);
  // A textarea and an input change line breaks.
  const typed = (kind === 'text' ? shown?.replaceAll(/\r\n?/g, '\n') : shown?.replaceAll(/[\r\n]/g, '')) ?? '';
  return shown === null ? 'as JSON' : readInput({ kind }, typed, value);
}

describe('an input of a form', () => {
  it.each([
    ['text', 'Peel\nCook\nEat'],
    ['text', 'Peel\r\nCook\r\nEat'],
    ['text', '\n  two blanks before, and after  \n'],
    ['text', '\t'],
    ['text', ''],
    ['text', undefined],
    ['text', 'x'.repeat(100_000)],
    ['number', Number('9007199254740993')],
    ['number', 1e300],
    ['number', 0.1 + 0.2],
    ['date', '2026-02-28'],
  ] as const)('means the stored value by its text: %s %j', (kind, value) => {
    expect(retyped(kind, value)).toEqual({ value });
  });

  it.each([
    ['text', 'lines\nof two\r\nsystems'],
    ['text', 'an old\rMac'],
    ['text', null],
    ['number', '1'],
    ['date', '2026-02-30'],
    ['date', '2026-02-28T10:00'],
    ['date', 'today\nor later'],
    ['date', ''],
  ] as const)('is JSON where it would show another value: %s %j', (kind, value) => {
    expect(retyped(kind, value)).toBe('as JSON');
    expect(readInput({ kind: 'json' }, inputText({ kind: 'json' }, value) ?? '', value)).toEqual({ value });
  });

  it('is JSON for a value that is not among its choices', () => {
    const type = { kind: 'choice', choices: ['1', 2] } as const;
    expect([1, '1', 2, '2'].map((value) => inputText(type, value))).toEqual([null, '"1"', '2', null]);
  });

  it('keeps the line breaks around what was typed', () => {
    expect(readInput({ kind: 'text' }, 'a\nb\nc', 'a\r\nb')).toEqual({ value: 'a\r\nb\r\nc' });
    expect(readInput({ kind: 'text' }, 'a\nb\nc', 'a\nb')).toEqual({ value: 'a\nb\nc' });
    expect(withBreaksOf('one line', 'a\nb')).toBe('a\nb');
    expect(['', 'a', 'a\nb', 'a\r\nb', '\r\n\n', '\r'].map(breakOf)).toEqual(['\n', '\n', '\n', '\r\n', null, null]);
  });

  it('refuses numbers that the browser would round, and what only looks like a number', () => {
    const read = (text: string) => readInput({ kind: 'number' }, text);
    for (const text of ['9007199254740993', '12345678901234567890'])
      expect([text, read(text)]).toEqual([text, { problem: 'digits' }]);
    for (const text of [' ', '0x10', '1e999', '1_000', '0b1', 'Infinity'])
      expect([text, read(text)]).toEqual([text, { problem: 'number' }]);
    const valid = {
      '1.50': 1.5,
      '-0.10': -0.1,
      ' 7 ': 7,
      '007': 7,
      '1e3': 1000,
      '1E+21': 1e21,
      '.5': 0.5,
      '100.0': 100,
    };
    for (const [text, value] of Object.entries(valid)) expect([text, read(text)]).toEqual([text, { value }]);
  });
});

describe('JSON that was typed', () => {
  it.each([
    ['{"a":1,"b":{"a":2},"a":3}', '"a"'],
    ['{"list":[{"x":1},{"x":1,"\\u0078":2}]}', '"x"'],
    ['{"":1,"":2}', '""'],
    ['{"__proto__":1,"__proto__":2}', '"__proto__"'],
  ])('does not lose a member of the same name: %s', (text, name) => {
    expect(parseObject(text)).toEqual({ problem: expect.stringContaining(name) });
    expect(readInput({ kind: 'json' }, text)).toEqual({ problem: 'json' });
  });

  it('may have the same name in different objects, and names within texts', () => {
    const text = '{"a":[{"a":"{\\"a\\":1,\\"a\\":2}"},{"a":"a"}],"b":{"a":": "}}';
    expect(parseObject(text)).toEqual({ value: JSON.parse(text) });
  });
});

describe('the patch of a document', () => {
  it('has only what differs', () => {
    const before = {
      title: 'a',
      note: 'b',
      gone: 1,
      author: { id: 1, name: 'x' },
      list: [{ a: 1, b: 2 }, 3],
      same: [1],
    };
    const after = {
      title: 'A',
      note: 'b',
      author: { name: 'y', id: 1 },
      list: [{ a: 1, b: 4 }, 3],
      same: [1],
      added: null,
    };
    expect(patchOf(before, after)).toEqual({
      set: { '`title`': 'A', '`author`.`name`': 'y', '`list`[0].`b`': 4, '`added`': null },
      remove: ['`gone`'],
    });
    expect(patchOf(before, before)).toEqual({});
  });

  it('tells null, an empty text and an absent member apart', () => {
    expect(patchOf({ a: null, b: '', c: 0 }, { a: '', c: null })).toEqual({
      set: { '`a`': '', '`c`': null },
      remove: ['`b`'],
    });
  });

  it('names members of any name', () => {
    const odd = JSON.parse('{"a.b":1,"":1,"__proto__":{"x":1},"`":1,"a[0]":1,"constructor":1}');
    const changed = JSON.parse('{"a.b":2,"":2,"__proto__":{"x":2},"`":2,"a[0]":2,"constructor":2}');
    expect(Object.keys(patchOf(odd, changed)?.set ?? {})).toEqual([
      '`a.b`',
      '``',
      '`__proto__`.`x`',
      '````',
      '`a[0]`',
      '`constructor`',
    ]);
    expect(patchOf({}, odd)?.set).toHaveProperty(['`__proto__`'], { x: 1 });
  });

  it('is none where the server accepts none', () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`n${n}`, n]));
    expect([patchOf({}, many), patchOf({ 'a/b': 1 }, {}), patchOf({}, { ['x'.repeat(2000)]: 1 })]).toEqual([
      null,
      null,
      null,
    ]);
    expect(patchOf({ 'a/b': 1 }, { 'a/b': 1, c: 1 })).toEqual({ set: { '`c`': 1 } });
  });
});

describe('a document that another user has changed', () => {
  it('gets the changes of the user and keeps the others', () => {
    const before = { title: 'a', note: 'a', gone: 1, author: { name: 'a', mail: 'a' } };
    const mine = { title: 'mine', note: 'a', author: { name: 'mine', mail: 'a' }, own: 1 };
    const theirs = { title: 'theirs', note: 'theirs', gone: 1, author: { name: 'a', mail: 'theirs' }, other: 1 };
    expect(merged(before, mine, theirs)).toEqual({
      title: 'mine',
      note: 'theirs',
      author: { name: 'mine', mail: 'theirs' },
      own: 1,
      other: 1,
    });
    expect(merged(before, before, theirs)).toEqual(theirs);
    expect(merged(before, mine, before)).toEqual(mine);
  });

  it('is the same in any order of its members', () => {
    expect(isSame({ a: [1, { b: 1, c: null }] }, { a: [1, { c: null, b: 1 }] })).toBe(true);
    for (const [a, b] of [
      [[1], { 0: 1 }],
      [{ a: 1 }, { b: 1 }],
      [
        [1, 2],
        [2, 1],
      ],
      [null, {}],
      ['1', 1],
    ])
      expect([a, b, isSame(a, b)]).toEqual([a, b, false]);
  });
});
