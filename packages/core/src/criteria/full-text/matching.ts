import type { Resolve } from '../values.ts';
import type { SearchTerm, SearchText } from './search-text.ts';
import { type SearchIndex, type WeightClass, weightClasses, wordsIn } from './stored-words.ts';

/** A search on the searched fields of a collection. */
export interface FullTextSearch {
  readonly index: SearchIndex;
  readonly text: SearchText;
}

/** A text whose occurrences in the stored words are hits. */
export interface Needle {
  readonly text: string;
  /** Weight of each hit. */
  readonly weight: number;
}

const framed = ({ words, isPrefix }: SearchTerm, { mark }: WeightClass) => {
  const text = words.map((word) => `(${mark}${word})`).join('');
  return isPrefix ? text.slice(0, -1) : text;
};

/** Returns what to look for in the stored words: for each term, one needle for each weight. */
export function needlesOf({ index, text: { terms, excluded } }: FullTextSearch) {
  const classes = weightClasses(index);
  const needles = (term: SearchTerm): readonly Needle[] =>
    classes.map((one) => ({ text: framed(term, one), weight: one.weight }));
  return { terms: terms.map(needles), excluded: excluded.map(needles) };
}

const hits = (words: string, { text }: Needle) => words.split(text).length - 1;
const contains = (words: string, needles: readonly Needle[]) => needles.some(({ text }) => words.includes(text));

/** Creates a function that returns the score of a document, or null if it does not match. */
export function createScore(search: FullTextSearch): (resolve: Resolve) => number | null {
  const { terms, excluded } = needlesOf(search);
  const counted = terms.flat();
  return (resolve) => {
    const words = wordsIn(search.index, resolve);
    if (!terms.every((needles) => contains(words, needles))) return null;
    if (excluded.some((needles) => contains(words, needles))) return null;
    return counted.reduce((sum, needle) => sum + needle.weight * hits(words, needle), 0);
  };
}
