import { BEHIND_LAST, type JsonStep, parseFieldPath, parseTargetPath } from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effortRatio } from '../support/effort.ts';

/** The path that a client writes for these steps; the first is a name. */
function written(steps: readonly JsonStep[], isQuoted: (name: string) => boolean): string[] {
  const parts: string[] = [];
  for (const step of steps) {
    if (typeof step === 'number') parts.push(`${parts.pop()}[${step}]`);
    else parts.push(isQuoted(step) ? `.\`${step.replaceAll('`', '``')}\`` : `.${step}`);
  }
  return parts;
}

const needsQuotes = (name: string) => name === '' || /\]$/.test(name) || /^`.*`$/s.test(name);

const name = fc
  .oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom('[', ']', '0', '`', '.', 'a', '_', ' ') }))
  .filter((text) => !/[/\0]/.test(text));
const steps = fc
  .tuple(name, fc.array(fc.oneof(name, fc.nat())))
  .map(([first, rest]) => [`x${first}`, ...rest])
  .map((list): JsonStep[] => list);

describe('the path of a field', () => {
  it.each<[string[], JsonStep[]]>([
    [['.title'], ['title']],
    [['.tags[0]'], ['tags', 0]],
    [['.a[0][10]'], ['a', 0, 10]],
    [
      ['.author', '.roles[3]'],
      ['author', 'roles', 3],
    ],
    [['.a.b'], ['a.b']],
    [['..'], ['.']],
    [['.$where'], ['$where']],
    [
      ['.__proto__', '.constructor'],
      ['__proto__', 'constructor'],
    ],
    [
      ['.a', '.id'],
      ['a', 'id'],
    ],
    [['.a]'], ['a]']],
    [['.a[0]b'], ['a[0]b']],
    [['.a[0]]'], ['a[0]]']],
    [['.[0]b[1]'], ['[0]b', 1]],
    [['.`a[0]`'], ['a[0]']],
    [['.`a[0]`[1]'], ['a[0]', 1]],
    [['.``'], ['']],
    [['.``[2]'], ['', 2]],
    [['.`a``b`'], ['a`b']],
    [['.`a'], ['`a']],
    [['.`'], ['`']],
    [['. '], [' ']],
    [['.123'], ['123']],
    [['.日本'], ['日本']],
    [['.a[999999999999999]'], ['a', 999_999_999_999_999]],
  ])('%j is read as %j', (parts, expected) => {
    expect(parseFieldPath(parts)).toEqual(expected);
  });

  it.each<[string[], string]>([
    [[], 'field.path_invalid'],
    [[''], 'field.path_invalid'],
    [['title'], 'field.path_invalid'],
    [['.a', 'b'], 'field.path_invalid'],
    [['.a', ''], 'field.path_invalid'],
    [['.'], 'field.path_invalid'],
    [['.[0]'], 'field.path_invalid'],
    [['.a[]'], 'field.path_invalid'],
    [['.a[x]'], 'field.path_invalid'],
    [['.a[-1]'], 'field.path_invalid'],
    [['.a[1.5]'], 'field.path_invalid'],
    [['.a[1e3]'], 'field.path_invalid'],
    [['.a[01]'], 'field.path_invalid'],
    [['.a[ 1]'], 'field.path_invalid'],
    [['.a[１]'], 'field.path_invalid'],
    [['.a[0][x]'], 'field.path_invalid'],
    [['.a[1000000000000000]'], 'field.path_invalid'],
    [['.a/b'], 'field.path_invalid'],
    [['.a\0'], 'input.json_invalid'],
    [['.a\ud800'], 'input.invalid'],
    [['.id'], 'field.owned'],
    [['.@version'], 'field.owned'],
    [['.@anything', '.b'], 'field.owned'],
    [['._author[0]'], 'field.owned'],
    [['._allowRead'], 'field.owned'],
    [['._creation_date'], 'field.owned'],
    [['.`id`'], 'field.owned'],
  ])('%j is rejected: %s', (parts, code) => {
    expect(() => parseFieldPath(parts)).toThrow(expect.objectContaining({ code }));
  });

  it.each<[string[], JsonStep[]]>([
    [['.a[]'], ['a', BEHIND_LAST]],
    [
      ['.a[0]', '.b[1][]'],
      ['a', 0, 'b', 1, BEHIND_LAST],
    ],
    [['.`a[]`[]'], ['a[]', BEHIND_LAST]],
  ])('%j is the position after the last element, for appending', (parts, expected) => {
    expect(parseTargetPath(parts)).toEqual(expected);
    expect(() => parseFieldPath(parts)).toThrow(expect.objectContaining({ code: 'field.path_invalid' }));
  });

  it.each([[['.a[][]']], [['.a[][0]']], [['.a[]', '.b']], [['.[]']], [['.a[ ]']]])('%j is rejected', (parts) => {
    expect(() => parseTargetPath(parts)).toThrow(expect.objectContaining({ code: 'field.path_invalid' }));
  });

  it('can be written for every name and index, and is read back as the same steps', () => {
    fc.assert(
      fc.property(steps, fc.boolean(), (list, always) => {
        const parts = written(list, (text) => always || needsQuotes(text));
        expect(parseFieldPath(parts)).toEqual(list);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['[]', '[', ']', '`', '[0]', '``', ']['])('is read or rejected in linear time, even with many %s', (text) => {
    const read = (part: string) => {
      try {
        parseFieldPath([part]);
      } catch (error) {
        expect(error).toMatchObject({ code: 'field.path_invalid' });
      }
    };
    for (const end of ['', 'x']) {
      const many = (times: number) => {
        const part = `.a${text.repeat(times)}${end}`;
        return () => read(part);
      };
      expect(effortRatio(many(16_000), many(1_000))).toBeLessThan(16 * 5);
    }
  });
});
