import { canonicalJson, type JsonValue, MAX_JSON_DEPTH, parseJson } from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const canonical = (text: string, omit?: (key: string) => boolean) => canonicalJson(parseJson(text), omit);

/** JSON whose objects are lists of members, so that keys keep their order and may be repeated. */
type Written =
  | string
  | { readonly list: readonly Written[] }
  | { readonly members: ReadonlyArray<readonly [string, Written]> };

const key = fc.oneof(
  fc.string(),
  fc.integer().map(String),
  fc.constantFrom('', '__proto__', 'a', 'b', 'constructor', '0'),
);
const scalar = fc.oneof(
  fc.constantFrom('null', 'true', 'false', '-0', '1.0', '1E5', '0.1e-7', '-12e+3'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.maxSafeInteger().map(String),
  fc
    .string({ unit: 'grapheme' })
    .filter((text) => !text.includes('\0'))
    .map((text) => JSON.stringify(text)),
);
const { written } = fc.letrec<{ written: Written }>((tie) => ({
  written: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    scalar,
    fc.array(tie('written'), { maxLength: 4 }).map((list) => ({ list })),
    fc
      .array(
        fc.tuple(
          key.filter((text) => !text.includes('\0')),
          tie('written'),
        ),
        { maxLength: 5 },
      )
      .map((members) => ({ members })),
  ),
}));

function write(node: Written, space: string): string {
  if (typeof node === 'string') return node;
  if ('list' in node)
    return `[${space}${node.list.map((item) => write(item, space)).join(`${space},${space}`)}${space}]`;
  const members = node.members.map(([name, value]) => `${JSON.stringify(name)}${space}:${space}${write(value, space)}`);
  return `{${space}${members.join(`${space},${space}`)}${space}}`;
}

/** The simplest implementation of the canonical text. */
function expected(node: Written): string {
  if (typeof node === 'string') return JSON.stringify(JSON.parse(node));
  if ('list' in node) return `[${node.list.map(expected).join(',')}]`;
  const members = new Map(node.members.map(([name, value]) => [name, expected(value)]));
  return `{${Array.from(members, ([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

const whitespace = fc.constantFrom('', ' ', '\n', '\t\r\n  ');

describe('canonical JSON', () => {
  it('is compact, has the same meaning, and keeps members in the order of their first occurrence', () => {
    fc.assert(
      fc.property(written, whitespace, (node, space) => {
        const text = canonical(write(node, space));
        expect(text).toBe(expected(node));
        // Compared as text, because -0 and 0 are the same number.
        expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(JSON.parse(write(node, ''))));
      }),
      { numRuns: 1000 },
    );
  });

  it('is the canonical text of itself', () => {
    fc.assert(
      fc.property(written, (node) => {
        const once = canonical(write(node, ' '));
        expect(canonical(once)).toBe(once);
      }),
    );
  });

  it('omits the given members of the outermost object only', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('@a', '@b', 'a', '1', 'c'), written), (members) => {
        const node = { members: Object.entries(members) };
        const left = { members: node.members.filter(([name]) => !name.startsWith('@')) };
        expect(canonical(write(node, ''), (name) => name.startsWith('@'))).toBe(expected(left));
      }),
    );
    expect(canonical('{"@a":1,"b":{"@a":2}}', (name) => name === '@a')).toBe('{"b":{"@a":2}}');
    expect(canonical('[{"@a":1}]', () => true)).toBe('[{"@a":1}]');
  });

  it.each([
    '{"a":"\\u0000"}',
    '{"\\u0000":1}',
    '["\\\\\\u0000"]',
    '["\\ud800"]',
    '{"\\udfff":1}',
    '["\\ud800\\ud800"]',
  ])('rejects %s', (text) => {
    expect(() => canonical(text)).toThrow(expect.objectContaining({ code: expect.stringMatching(/^input\./) }));
  });

  it.each(['["\\\\u0000"]', '["\\\\\\\\ud800"]', '["\\ud83d\\ude00"]', '["u0000"]', '[1e-400]'])(
    'accepts %s',
    (text) => {
      expect(JSON.parse(canonical(text))).toEqual(JSON.parse(text));
    },
  );
});

describe('parseJson', () => {
  it('accepts the texts that JSON.parse accepts, with the same meaning, and rejects the others', () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => json.slice(0, -1)),
      fc.constant('{"a":1,}'),
    );
    fc.assert(
      fc.property(text, (sent) => {
        let meaning: JsonValue | undefined;
        try {
          meaning = JSON.parse(sent);
        } catch {
          expect(() => parseJson(sent)).toThrow(expect.objectContaining({ code: 'input.json_invalid' }));
          return;
        }
        if (sent.includes('\\u0000')) return;
        expect(parseJson(sent)).toEqual({ text: sent, value: meaning });
      }),
    );
  });

  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
    ['both', '[{"]":', '}]'],
  ])('limits the depth of %s', (_what, open, close) => {
    const levels = open === '[{"]":' ? 2 : 1;
    const nested = (depth: number) => `${open.repeat(depth / levels)}1${close.repeat(depth / levels)}`;
    expect(parseJson(nested(MAX_JSON_DEPTH)).text).toBe(nested(MAX_JSON_DEPTH));
    expect(() => parseJson(nested(MAX_JSON_DEPTH + levels))).toThrow(/deeper/);
  });

  it('does not count brackets in strings', () => {
    const text = JSON.stringify({ a: '[{'.repeat(1000), b: '\\"[['.repeat(500), '[[[': 1 });
    expect(parseJson(text).text).toBe(text);
  });
});
