import { elementsOf, isJsonObject, type JsonValue, membersOf, type ParsedJson, parseJson } from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const spaced = fc.constantFrom('', ' ', '\n', '\t\r', '  ');

/** Random JSON, with random whitespace. */
function written(value: unknown, space: () => string): string {
  const s = space;
  if (Array.isArray(value)) return `[${s()}${value.map((item) => written(item, s)).join(`${s()},${s()}`)}${s()}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, item]) => `${JSON.stringify(name)}${s()}:${s()}${written(item, s)}`,
    );
    return `{${s()}${members.join(`${s()},${s()}`)}${s()}}`;
  }
  return JSON.stringify(value);
}

describe('the parts of a JSON text', () => {
  /** Asserts that each part parses to the value at its place in the whole. */
  function expectParts(parts: Iterable<readonly [string | number, ParsedJson]>, value: JsonValue): void {
    const means = Array.from(parts, ([name, part]) => {
      expect(JSON.parse(part.text)).toEqual(part.value);
      return [String(name), part.value];
    });
    expect(Object.fromEntries(means)).toEqual({ ...(value as object) });
  }

  it('are the texts of members and elements, each with its meaning in the whole', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.infiniteStream(spaced), (raw, spaces) => {
        const space = () => spaces.next().value ?? '';
        const { value } = parseJson(JSON.stringify(raw));
        const json = parseJson(space() + written(value, space) + space());
        const [elements, members] = [elementsOf(json), membersOf(json)];
        expect([elements !== null, members !== null]).toEqual([Array.isArray(value), isJsonObject(value)]);
        if (elements !== null) expectParts(elements.entries(), value);
        if (members !== null) expectParts(members, value);
      }),
      { numRuns: 500 },
    );
  });

  it('keep the order of names, and the last one of duplicates', () => {
    const members = membersOf(parseJson('{"b":1,"2":2,"a":[ 1 ],"1":{},"b" : "x\\"}"}'));
    expect(Array.from(members ?? [], ([name, { text }]) => [name, text])).toEqual([
      ['b', '"x\\"}"'],
      ['2', '2'],
      ['a', '[ 1 ]'],
      ['1', '{}'],
    ]);
  });

  it('treat names that are special in JavaScript as plain names', () => {
    const members = membersOf(parseJson('{"__proto__":{"a":1},"constructor":2}'));
    expect(members?.get('__proto__')).toEqual({ text: '{"a":1}', value: { a: 1 } });
    expect(members?.get('constructor')?.text).toBe('2');
    expect(members?.get('toString')).toBeUndefined();
  });
});
