import type { ListPosition, OrderKey, Scalar, SortValue } from './syntax.ts';
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
export function sortValueOf(value: Value): SortValue {
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

/** Returns the sort values of an object. */
export function sortValues(order: readonly OrderKey[], resolve: Resolve): SortValue[] {
  return order.map(({ path }) => sortValueOf(valueAt(path, resolve)));
}

/** Creates a function that compares positions in a list. Ties are broken by id. */
export function createComparator(order: readonly OrderKey[]): (a: ListPosition, b: ListPosition) => number {
  return (a, b) => {
    for (const [at, { descending }] of order.entries()) {
      const difference = compareSortValues(a.keys[at] ?? null, b.keys[at] ?? null);
      if (difference !== 0) return descending ? -difference : difference;
    }
    return compareCodePoints(a.id, b.id);
  };
}
