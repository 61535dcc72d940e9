import type { JsonObject } from '../../json-text.ts';
import type { Path } from '../syntax.ts';
import { type Resolve, resolverOf, type Value, valueAt } from '../values.ts';
import { wordsOf } from './tokens.ts';

/** A searched field, and how much each of its hits counts. */
export interface SearchField {
  readonly path: Path;
  readonly weight: number;
}

/** Searched fields of a collection. */
export interface SearchIndex {
  /** Changes with the fields, and marks the words stored for them. */
  readonly number: number;
  readonly fields: readonly SearchField[];
}

/** Maximum number of words stored for a document, and of their characters in UTF-16 units. */
export const MAX_WORDS = 10_000;
const MAX_LENGTH = 250_000;

/** Separates fields and elements of arrays, so that no phrase extends from one to the next. */
const BREAK = '(-)';

const FIRST_CLASS = 'a'.charCodeAt(0);

/** Fields with the same weight. */
export interface WeightClass {
  /** Begins each of their words. Digits and one letter, so no mark is the beginning of another. */
  readonly mark: string;
  readonly weight: number;
}

export function weightClasses({ number, fields }: SearchIndex): readonly WeightClass[] {
  const weights = [...new Set(fields.map(({ weight }) => weight))];
  return weights.map((weight, at) => ({ weight, mark: `${number}${String.fromCharCode(FIRST_CLASS + at)}` }));
}

/** Begins the stored words of an index, to tell them from those of an earlier one. */
export const wordsHeader = ({ number }: Pick<SearchIndex, 'number'>) => `(${number})`;

/** Returns the texts of a field: the value, or the texts among the elements of an array. */
function textsOf(value: Value): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((element) => typeof element === 'string') : [];
}

/** Returns the texts of a field in a document. */
export const fieldTexts = (path: Path, resolve: Resolve): readonly string[] => textsOf(valueAt(path, resolve));

/**
 * Returns the words of a document as every database stores them: each in parentheses and with the mark of its weight,
 * in the order of the fields. So a word or a phrase is a substring, and a number of hits is a number of occurrences.
 * Texts beyond the limits are not searched.
 */
export function wordsIn(index: SearchIndex, resolve: Resolve): string {
  const classes = weightClasses(index);
  const parts = [wordsHeader(index)];
  let [left, length] = [MAX_WORDS, MAX_LENGTH];
  for (const { path, weight } of index.fields) {
    const mark = classes.find((one) => one.weight === weight)?.mark ?? '';
    for (const text of fieldTexts(path, resolve)) {
      // A word has at least one character, and folding makes at most 18 of one.
      for (const word of wordsOf(text.slice(0, length))) {
        if (left === 0 || length < word.length) return parts.join('');
        left--;
        length -= word.length;
        parts.push(`(${mark}${word})`);
      }
      parts.push(BREAK);
    }
  }
  return parts.join('');
}

/** Returns the words of a content, which is the JSON text of an object. */
export const storedWords = (index: SearchIndex, content: string): string =>
  wordsIn(index, resolverOf(JSON.parse(content) as JsonObject));
