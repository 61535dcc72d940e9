import { createTest, matches, resolverOf } from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { condition } from '../support/criteria.ts';

/** A pattern without escapes as a regular expression. */
const expressionOf = (pattern: string) =>
  new RegExp(`^${pattern.replaceAll('%', '[^]*').replaceAll('_', '[^]')}$`, 'u');

describe('a search for a string', () => {
  it('finds long patterns as a plain search would', () => {
    const run = fc.array(fc.constantFrom('a', 'a', 'a', 'b', '😀', '_'), { maxLength: 80 });
    const pattern = fc.array(run, { minLength: 1, maxLength: 3 }).map((runs) => runs.map((one) => one.join('')));
    const filler = fc
      .array(fc.constantFrom('a', 'a', 'a', 'b', '😀'), { maxLength: 60 })
      .map((chars) => chars.join(''));
    const asked = fc.tuple(pattern, filler, filler, fc.boolean());
    fc.assert(
      fc.property(asked, ([parts, before, after, isThere]) => {
        const wanted = isThere ? parts.join(after).replaceAll('_', '😀') : after;
        const value = `${before}${wanted}${after}`;
        const like = `%${parts.join('%')}%`;
        expect(matches(condition('a like ?', like), resolverOf({ a: value }))).toBe(expressionOf(like).test(value));
        const part = parts.join('').replaceAll('_', 'a');
        const holds = matches(condition('a containsText ?', part), resolverOf({ a: value }));
        expect(holds).toBe(value.includes(part));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['like', `%${'a'.repeat(127)}b${'a'.repeat(126)}%`],
    ['like', `%${'a'.repeat(127)}b${'a'.repeat(127)}`],
    ['like', `%${'_a'.repeat(80)}b${'a_'.repeat(40)}%`],
    ['like', `${'%_a'.repeat(60)}b%`],
    ['containsText', `${'a'.repeat(127)}b${'a'.repeat(128)}`],
  ])('examines a long string without backtracking: %s', (operator, operand) => {
    const test = createTest(condition(`a ${operator} ?`, operand));
    const text = 'a'.repeat(2_000_000);
    expect(test(resolverOf({ a: text }))).toBe(false);
    const found = operand.endsWith('%') ? operand.replaceAll(/[%_]/g, 'a') : operand.replaceAll('%', '');
    expect(test(resolverOf({ a: `${text}${found}` }))).toBe(true);
  });

  it.each(['like', 'not like', 'containsText'])('is at most 256 characters long: %s', (operator) => {
    expect(() => condition(`a ${operator} ?`, '😀'.repeat(256))).not.toThrow();
    expect(() => condition(`a ${operator} ?`, '😀'.repeat(257))).toThrow(/a text of at most 256 characters/);
    expect(() => condition(`a ${operator} '${'a'.repeat(257)}'`)).toThrow(/a text of at most 256 characters/);
  });
});
