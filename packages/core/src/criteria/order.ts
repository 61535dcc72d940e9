import { collatedText, createTextOrder } from './collations.ts';
import { createScore } from './full-text/matching.ts';
import type { ListPosition, OrderKey, Path, Scalar, SortValue } from './syntax.ts';
import { compareCodePoints } from './text.ts';
import { type Resolve, type Value, valueAt } from './values.ts';

/** Sort value of everything that is not a scalar: all equal, after all other values. */
export const OTHER: SortValue = Object.freeze({ rank: 'other' });

const RANKS = { boolean: 1, number: 2, string: 3, object: 4 } as const;

const rankOf = (value: SortValue) => (value === null ? 0 : RANKS[typeof value as keyof typeof RANKS]);

/**
 * Number of code points by which texts are sorted, to bound the length of index entries and cursors. Texts with the
 * same prefix are equal in an order. Comparisons in conditions use whole texts.
 */
export const SORTED_LENGTH = 256;

/** Returns the prefix of a text by which it is sorted. */
export function sortedText(text: string): string {
  if (text.length <= SORTED_LENGTH) return text;
  // A surrogate pair cut in half is harmless, because it is beyond the prefix.
  return Array.from(text.slice(0, SORTED_LENGTH * 2))
    .slice(0, SORTED_LENGTH)
    .join('');
}

/** Returns the sort value of a value. */
function sortValueOf(value: Value): SortValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return sortedText(value);
  return typeof value === 'object' ? OTHER : value;
}

/**
 * Returns a negative number, 0 or a positive number. Absent values come first, then booleans, numbers, texts by code
 * point, then all else.
 */
export function compareSortValues(a: SortValue, b: SortValue): number {
  const ranks = rankOf(a) - rankOf(b);
  if (ranks !== 0) return ranks;
  if (typeof a === 'string') return compareCodePoints(a, b as string);
  return a === null || typeof a === 'object' ? 0 : Number(a) - Number(b as Scalar);
}

/** Returns the path of an order by values as they are stored; null for any other order. */
export const plainPath = ({ path, method, collation }: OrderKey): Path | null =>
  method === undefined && collation === undefined ? path : null;

/** Returns the sort value of an object for one key. */
export function sortValueFor({ path, method, collation }: OrderKey, resolve: Resolve): SortValue {
  const value = valueAt(path, resolve);
  if (typeof value !== 'string') return method === undefined ? sortValueOf(value) : null;
  const text = method === undefined ? value : value.toLowerCase();
  return sortValueOf(collation === undefined ? text : collatedText(text));
}

/** Returns the sort values of an object. */
export function sortValues(order: readonly OrderKey[], resolve: Resolve): SortValue[] {
  return order.map((key) => (key.score === undefined ? sortValueFor(key, resolve) : createScore(key.score)(resolve)));
}

/** Creates a function that compares the sort values of one key, regardless of its direction. */
function createKeyOrder({ collation }: OrderKey): (a: SortValue, b: SortValue) => number {
  if (collation === undefined) return compareSortValues;
  const compare = createTextOrder(collation);
  return (a, b) => (typeof a === 'string' && typeof b === 'string' ? compare(a, b) : compareSortValues(a, b));
}

/** Creates a function that compares positions in a list. Ties are broken by id. */
export function createComparator(order: readonly OrderKey[]): (a: ListPosition, b: ListPosition) => number {
  const keys = order.map((key) => ({ compare: createKeyOrder(key), descending: key.descending }));
  return (a, b) => {
    for (const [at, { compare, descending }] of keys.entries()) {
      const difference = compare(a.keys[at] ?? null, b.keys[at] ?? null);
      if (difference !== 0) return descending ? -difference : difference;
    }
    return compareCodePoints(a.id, b.id);
  };
}
