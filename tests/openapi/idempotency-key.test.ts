import { isAppError, parseIdempotencyKey } from '@baobab/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { IDEMPOTENCY_KEY_PATTERN } from '../../packages/http/src/schemas/failing.ts';

/** Characters around the limits of a valid key, and the two that are escaped. */
const character = fc.oneof(
  fc.constantFrom('"', '\\', ',', ' ', '\t', '[', ']', '~', '!', '#', '\u007f', '\u001f', 'é'),
  fc.string({ minLength: 1, maxLength: 1 }),
);
const text = fc.oneof(
  fc.array(character, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.integer({ min: 250, max: 260 }).map((length) => 'k'.repeat(length)),
);

function isTaken(header: string): boolean {
  try {
    parseIdempotencyKey(header);
    return true;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return false;
  }
}

it('the pattern of Idempotency-Key matches exactly the keys that the service accepts', () => {
  const pattern = new RegExp(IDEMPOTENCY_KEY_PATTERN);
  fc.assert(
    fc.property(text, fc.boolean(), (key, isQuoted) => {
      const header = isQuoted ? `"${key}"` : key;
      expect([header, pattern.test(header)]).toEqual([header, isTaken(header)]);
    }),
    { numRuns: 2000 },
  );
});
