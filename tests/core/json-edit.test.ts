import { BEHIND_LAST, type JsonStep, readJsonAt } from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openJson, writeJsonAt } from '../../packages/core/src/json-tree.ts';
import { effortRatio } from '../support/effort.ts';

/** JSON whose objects are lists of members, so that JavaScript neither reorders nor interprets any key. */
type Tree = string | Tree[] | Map<string, Tree>;

const key = fc.oneof(fc.constantFrom('', 'a', 'b', '1', '0', '__proto__', 'constructor', '"', '\\', '}'), fc.string());
const leaf = fc.oneof(
  fc.string().map((text) => JSON.stringify(text)),
  fc.constantFrom('null', '0', '-1e-7', 'true'),
);
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('tree')), { maxLength: 4 }).map((members) => new Map(members)),
  ),
}));
const steps = fc.array(fc.oneof(key, fc.nat({ max: 5 })), { minLength: 1, maxLength: 4 });

function textOf(node: Tree): string {
  if (typeof node === 'string') return node;
  if (Array.isArray(node)) return `[${node.map(textOf).join(',')}]`;
  return `{${Array.from(node, ([name, value]) => `${JSON.stringify(name)}:${textOf(value)}`).join(',')}}`;
}

function child(node: Tree | undefined, step: JsonStep): Tree | undefined {
  if (typeof step === 'number') return Array.isArray(node) ? node[step] : undefined;
  return node instanceof Map ? node.get(step) : undefined;
}

/** The simplest implementation: null where the edit is impossible. */
function changed(node: Tree | undefined, [step, ...rest]: readonly JsonStep[], value: Tree): Tree | null {
  if (step === undefined) return value;
  const inner = rest.length === 0 ? value : child(node, step) && changed(child(node, step), rest, value);
  if (inner === null || inner === undefined) return null;
  if (typeof step === 'string') return node instanceof Map ? new Map(node).set(step, inner) : null;
  if (!Array.isArray(node) || step > node.length) return null;
  return [...node.slice(0, step), inner, ...node.slice(step + 1)];
}

/** The simplest implementation of removal: null where there is nothing to remove. */
function without(node: Tree | undefined, [step, ...rest]: readonly JsonStep[]): Tree | null {
  if (step === undefined || child(node, step) === undefined) return null;
  const inner = rest.length === 0 ? null : without(child(node, step), rest);
  if (rest.length > 0 && inner === null) return null;
  if (typeof step === 'number' && Array.isArray(node))
    return node.toSpliced(step, 1, ...(inner === null ? [] : [inner]));
  if (!(node instanceof Map) || typeof step === 'number') return null;
  const left = new Map(node);
  if (inner === null) left.delete(step);
  else left.set(step, inner);
  return left;
}

/** Steps that exist in the value more often than random ones would. */
function stepsInto(root: Tree): fc.Arbitrary<JsonStep[]> {
  return fc.tuple(steps, fc.infiniteStream(fc.nat())).map(([list, numbers]) => {
    let node: Tree | undefined = root;
    return list.map((step) => {
      const number = numbers.next().value as number;
      const known: JsonStep[] = node instanceof Map ? [...node.keys()] : Array.isArray(node) ? [...node.keys()] : [];
      const end: JsonStep[] = Array.isArray(node) ? [node.length] : [];
      const chosen = [...known, ...end, step].at(number % (known.length + end.length + 1)) ?? step;
      node = child(node, chosen);
      return chosen;
    });
  });
}

const cases = tree.chain((root) => fc.record({ root: fc.constant(root), path: stepsInto(root), value: tree }));

function removeJsonAt(text: string, path: readonly JsonStep[]): string | null {
  const tree = openJson(text);
  return tree.remove(path) ? tree.text() : null;
}

describe('editing JSON', () => {
  it('gives the same result as parsing, changing and serializing', () => {
    let done = 0;
    fc.assert(
      fc.property(cases, ({ root, path, value }) => {
        const expected = changed(root, path, value);
        const text = textOf(root);
        const present = path.reduce<Tree | undefined>(child, root);
        for (const read of [readJsonAt(text, path), openJson(text).read(path)])
          expect(read).toBe(present === undefined ? null : textOf(present));
        if (expected === null) {
          expect(() => writeJsonAt(text, path, textOf(value))).toThrow(
            expect.objectContaining({ code: 'field.unreachable' }),
          );
          return;
        }
        done++;
        const edit = writeJsonAt(text, path, textOf(value));
        expect(edit).toBe(textOf(expected));
        expect(readJsonAt(edit, path)).toBe(textOf(value));
      }),
      { numRuns: 2000 },
    );
    expect(done).toBeGreaterThan(150);
  });

  it('removes what parsing, deleting and serializing would remove', () => {
    let done = 0;
    fc.assert(
      fc.property(cases, ({ root, path }) => {
        const expected = without(root, path);
        if (expected !== null) done++;
        expect(removeJsonAt(textOf(root), path)).toBe(expected === null ? null : textOf(expected));
      }),
      { numRuns: 2000 },
    );
    expect(done).toBeGreaterThan(100);
  });

  it.each<[string, JsonStep[], string, string]>([
    ['{}', ['a'], '1', '{"a":1}'],
    ['{"2":0,"1":{}}', ['1', '__proto__'], '{"x":1}', '{"2":0,"1":{"__proto__":{"x":1}}}'],
    ['{"__proto__":{"a":1},"b":2}', ['__proto__', 'a'], 'null', '{"__proto__":{"a":null},"b":2}'],
    ['{"a":[]}', ['a', 0], '"x"', '{"a":["x"]}'],
    ['{"a":[[1],[2]]}', ['a', 1, 1], '3', '{"a":[[1],[2,3]]}'],
    ['{"x":"{\\"a\\":1}","a":2}', ['a'], '3', '{"x":"{\\"a\\":1}","a":3}'],
    ['{"a":{"a":1},"b":"]}"}', ['b'], '[]', '{"a":{"a":1},"b":[]}'],
    ['{"a":[]}', ['a', BEHIND_LAST], '1', '{"a":[1]}'],
    ['{"a":[1,[2]]}', ['a', 1, BEHIND_LAST], '3', '{"a":[1,[2,3]]}'],
    ['{"b":1}', ['a', BEHIND_LAST], '"x"', '{"b":1,"a":["x"]}'],
  ])('%s at %j becomes %s', (text, path, value, expected) => {
    expect(writeJsonAt(text, path, value)).toBe(expected);
  });

  it.each<[string, JsonStep[], string]>([
    ['{}', ['a', 'b'], 'there is no .a'],
    ['{"a":{}}', ['a', 'b', 0], 'there is no .a.b'],
    ['{"a":[1]}', ['a', 2], 'at .a index 2 is beyond the length of the array, 1'],
    ['{"a":[1]}', ['a', 1, 'b'], 'there is no .a[1]'],
    ['{"a":{"0":1}}', ['a', 0], 'at .a the value is not an array'],
    ['{"a":"text"}', ['a', 0], 'at .a the value is not an array'],
    ['{"a":"text"}', ['a', BEHIND_LAST], 'at .a the value is not an array'],
    ['{"a":[]}', ['a', 0, BEHIND_LAST], 'there is no .a[0]'],
    ['{}', ['a', 'b', BEHIND_LAST], 'there is no .a'],
    ['{"a":null}', ['a', 'b'], 'at .a the value is not an object'],
    ['{"a":[1]}', ['a', 'length'], 'at .a the value is not an object'],
    ['{}', ['constructor', 'prototype'], 'there is no .constructor'],
  ])('%s has no place at %j', (text, path, problem) => {
    expect(() => writeJsonAt(text, path, '1')).toThrow(
      `A parent of this path is neither an object nor an array: ${problem}`,
    );
  });
});

describe('the effort of editing JSON', () => {
  it('examines each character once, however deep it goes', () => {
    const nested = (depth: number) => {
      const text = `${'{"a":'.repeat(depth)}{"long":[${'1,'.repeat(200_000)}1],"b":2}${'}'.repeat(depth)}`;
      const path = [...Array.from({ length: depth }, () => 'a'), 'b'];
      return () => expect(readJsonAt(text, path)).toBe('2');
    };
    expect(effortRatio(nested(190), nested(1))).toBeLessThan(20);
  });

  it('makes many changes of one text at the cost of ten', () => {
    const text = JSON.stringify({ long: Array.from({ length: 100_000 }, () => ({ a: 1 })), n: 0 });
    const changing = (count: number) => () => {
      const tree = openJson(text);
      for (let i = 0; i < count; i++) tree.write(['long', i, 'a'], '2');
      expect(tree.text()).toHaveLength(text.length);
    };
    expect(effortRatio(changing(1000), changing(10))).toBeLessThan(5);
  });

  it('sees each change in the following ones', () => {
    const tree = openJson('{"a":{"b":[1,2]},"c":"]"}');
    tree.write(['d'], '{"e":{}}');
    tree.write(['d', 'e', 'f', BEHIND_LAST], '[3]');
    tree.write(['d', 'e', 'f', 0, 1], '4');
    for (const path of [
      ['a', 'b', 0],
      ['a', 'b', 1],
      ['c', 0],
      ['a', 'b', BEHIND_LAST],
    ])
      tree.remove(path);
    const read = [['d', 'e'], ['a', 'b', 0], ['c'], ['a', 'b', 1]].map((path) => tree.read(path));
    expect(read).toEqual(['{"f":[[3,4]]}', '2', '"]"', null]);
    expect(() => tree.write(['c', 'x'], '1')).toThrow('at .c the value is not an object');
    tree.merge('{"a":{"b":null,"x":{"y":null,"z":1}},"c":{"q":[null]}}');
    expect(tree.text()).toBe('{"a":{"x":{"z":1}},"c":{"q":[null]},"d":{"e":{"f":[[3,4]]}}}');
  });
});
