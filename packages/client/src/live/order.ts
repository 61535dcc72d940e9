import { stepsOf } from '../query/paths.ts';
import type { DocumentFields } from '../wire.ts';

export type Compare = (a: DocumentFields, b: DocumentFields) => number;

type Key = boolean | number | string | null | undefined;

/** Number of leading code points by which texts are sorted. */
const SORTED_LENGTH = 256;

/** Sort order of types: absent values, booleans, numbers, texts, then everything else, which is equal. */
const RANKS: Readonly<Record<string, number>> = { boolean: 1, number: 2, string: 3, object: 4 };
const rankOf = (value: unknown) => (value === null ? 0 : (RANKS[typeof value] ?? 0));

const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;

/** Compares by code point. JavaScript compares UTF-16 units, which sorts surrogate pairs before U+E000 to U+FFFF. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x === y) continue;
    return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

const sortedText = (text: string) =>
  text.length <= SORTED_LENGTH
    ? text
    : Array.from(text.slice(0, SORTED_LENGTH * 2))
        .slice(0, SORTED_LENGTH)
        .join('');

/** Returns the value at a path; null if there is none. */
export function valueAt(document: unknown, steps: readonly (string | number)[]): unknown {
  let value = document;
  for (const step of steps) {
    const isThere =
      typeof value === 'object' &&
      value !== null &&
      Array.isArray(value) === (typeof step === 'number') &&
      Object.hasOwn(value, step);
    value = isThere ? (value as Readonly<Record<string | number, unknown>>)[step] : null;
  }
  return value;
}

function keyAt(document: unknown, steps: readonly (string | number)[]): Key {
  const value = valueAt(document, steps);
  return typeof value === 'string' ? sortedText(value) : (value as Key);
}

function compareKeys(a: Key, b: Key): number {
  const ranks = rankOf(a) - rankOf(b);
  if (ranks !== 0) return ranks;
  if (typeof a === 'string') return compareTexts(a, b as string);
  return a === null || typeof a === 'object' ? 0 : Number(a) - Number(b);
}

/** Returns the order in which the server lists documents. @param orderBy as in `Criteria` */
export function comparatorOf(orderBy: readonly string[]): Compare {
  const terms = orderBy.map((term) => {
    const [, path = '', direction] = /^(.*) (asc|desc)$/s.exec(term) ?? [];
    const steps = stepsOf(path);
    // Documents created in the same millisecond are sorted by id; ids are ascending.
    return { steps: steps[0] === '_creation_date' ? ['id'] : steps, sign: direction === 'desc' ? -1 : 1 };
  });
  return (a, b) => {
    for (const { steps, sign } of terms) {
      const difference = compareKeys(keyAt(a, steps), keyAt(b, steps));
      if (difference !== 0) return sign * difference;
    }
    return compareTexts(a.id, b.id);
  };
}
