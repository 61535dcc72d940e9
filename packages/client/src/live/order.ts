import { sortKeyOf } from '../query/order.ts';
import { stepsOf } from '../query/paths.ts';
import type { Collation } from '../query/types.ts';
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

/** Quotation marks that sort as straight ones by the rules of a language. */
const SINGLE = /[\u2018\u2019\u201a\u201b\uff07]/g;
const DOUBLE = /[\u201c\u201d\u201e\u201f\u2e42\u301d\u301e\u301f\uff02]/g;
const collatedText = (text: string) => text.normalize('NFC').replace(SINGLE, "'").replace(DOUBLE, '"');

/** Returns the comparison of texts by a language, or by code point. */
function textOrder(language: Collation | null): (a: string, b: string) => number {
  if (language === null) return compareTexts;
  const { compare } = new Intl.Collator(language);
  return (a, b) => compare(a, b) || compareTexts(a, b);
}

interface Term {
  readonly steps: readonly (string | number)[];
  readonly isLower: boolean;
  readonly isCollated: boolean;
  readonly compare: (a: string, b: string) => number;
  readonly sign: number;
}

function termOf(text: string): Term {
  const { path, isLower, collation, descending } = sortKeyOf(text);
  const steps = stepsOf(path);
  const isPlain = !isLower && collation === null;
  return {
    // Documents created in the same millisecond are sorted by id; ids are ascending.
    steps: isPlain && steps[0] === '_creation_date' ? ['id'] : steps,
    isLower,
    isCollated: collation !== null,
    compare: textOrder(collation),
    sign: descending ? -1 : 1,
  };
}

function keyAt(document: unknown, { steps, isLower, isCollated }: Term): Key {
  const value = valueAt(document, steps);
  if (typeof value !== 'string') return isLower ? null : (value as Key);
  const text = isLower ? value.toLowerCase() : value;
  return sortedText(isCollated ? collatedText(text) : text);
}

function compareKeys(a: Key, b: Key, { compare }: Term): number {
  const ranks = rankOf(a) - rankOf(b);
  if (ranks !== 0) return ranks;
  if (typeof a === 'string') return compare(a, b as string);
  return a === null || typeof a === 'object' ? 0 : Number(a) - Number(b);
}

/** Returns the order in which the server lists documents. @param orderBy as in `Criteria` */
export function comparatorOf(orderBy: readonly string[]): Compare {
  const terms = orderBy.map(termOf);
  return (a, b) => {
    for (const term of terms) {
      const difference = compareKeys(keyAt(a, term), keyAt(b, term), term);
      if (difference !== 0) return term.sign * difference;
    }
    return compareTexts(a.id, b.id);
  };
}
