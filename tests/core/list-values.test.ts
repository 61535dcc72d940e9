import { type JsonValue, parseJson, readJsonAt, sortedJson } from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createListValues } from '../../packages/core/src/documents/list-values.ts';
import { parsePatch } from '../../packages/core/src/documents/patch.ts';
import { effortRatio } from '../support/effort.ts';

const value = fc.jsonValue({ maxDepth: 3 }).map((one) => JSON.parse(JSON.stringify(one)) as JsonValue);

/** The value with the members of its objects in the reverse order. */
function reversed(one: JsonValue): JsonValue {
  if (typeof one !== 'object' || one === null) return one;
  if (Array.isArray(one)) return one.map(reversed);
  return Object.fromEntries(
    Object.entries(one)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

const cases = fc
  .tuple(fc.array(value, { maxLength: 6 }), fc.array(value, { maxLength: 4 }), fc.array(fc.nat(), { maxLength: 4 }))
  .map(([list, others, chosen]) => {
    const known = chosen.flatMap((at) => (list.length === 0 ? [] : reversed(list[at % list.length] ?? null)));
    return { list, values: [...others, ...known] };
  });

describe('values in lists', () => {
  it('are found as by comparing each with each, in any order of members', () => {
    fc.assert(
      fc.property(cases, ({ list, values }) => {
        const keys = (all: readonly JsonValue[]) => all.map(sortedJson);
        const isIn = (all: readonly JsonValue[], one: JsonValue) => keys(all).includes(sortedJson(one));
        const { missingIn, removedFrom } = createListValues(JSON.stringify(values));
        const missing = JSON.parse(`[${missingIn(JSON.stringify(list))}]`);
        const expected = values.filter((one, at) => !isIn(list, one) && !isIn(values.slice(0, at), one));
        expect(keys(missing)).toEqual(keys(expected));
        const left = removedFrom(JSON.stringify(list));
        const kept = list.filter((one) => !isIn(values, one));
        expect(left).toBe(kept.length === list.length ? null : JSON.stringify(kept));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the effort of a patch', () => {
  const patch = (body: object) => {
    const { apply } = parsePatch('operators', parseJson(JSON.stringify(body)));
    return (content: string) => () => expect(apply(content)).not.toBe('');
  };
  const numbers = `{"list":[${Array(250_000).fill(1).join(',')}]}`;
  const objects = JSON.stringify({ list: Array.from({ length: 30_000 }, (_, n) => ({ b: n % 10, a: n % 7 })) });
  const scanned = (content: string) => () => expect(readJsonAt(content, ['none'])).toBe(null);

  it.each([
    ['adds to a set', { addToSet: { list: [2, { a: 9, b: 9 }] } }],
    ['removes from a list', { removeFrom: { list: [2, { a: 9, b: 9 }] } }],
  ])('that %s is a few times that of reading the document once', (_what, body) => {
    for (const content of [numbers, objects])
      expect(effortRatio(patch(body)(content), scanned(content))).toBeLessThan(15);
  });

  it('with 100 lists is that of one list as long as all of them', () => {
    const lists = JSON.stringify({ lists: Array.from({ length: 100 }, () => Array(2500).fill(1)) });
    const added = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`lists[${n}]`, [2]]));
    const one = patch({ addToSet: { list: [2] } })(numbers);
    expect(effortRatio(patch({ addToSet: added })(lists), one)).toBeLessThan(5);
  });
});
