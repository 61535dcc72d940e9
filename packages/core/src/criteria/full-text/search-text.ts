import { AppError } from '../../errors.ts';
import { wordsOf } from './tokens.ts';

/** Returns true if a text has more than `most` code points. Does not read all of a long one. */
const exceedsCodePoints = (text: string, most: number) =>
  text.length > most && (text.length > 2 * most || Array.from(text).length > most);

/** A word, the beginning of a word, or a phrase: consecutive words. */
export interface SearchTerm {
  /** At least one. */
  readonly words: readonly string[];
  /** True if the last word may be longer. */
  readonly isPrefix: boolean;
}

/** A parsed search. */
export interface SearchText {
  /** A document must contain all of these, at least one. */
  readonly terms: readonly SearchTerm[];
  /** A document must contain none of these. */
  readonly excluded: readonly SearchTerm[];
}

/** Maximum number of words in a search, and of its characters. */
export const MAX_SEARCH_WORDS = 20;
const MAX_SEARCH_LENGTH = 1_000;

/** A phrase in quotes, or anything without spaces. A missing quote at the end is added. */
const TERMS = /(-?)"([^"]*)(?:"(\*?)|$)|(-?)([^\s"]+)/g;

const invalid = (detail: string) => new AppError('search.invalid', { detail, input: 'search' });

/**
 * Parses what a user typed: words, `prefix*`, `"a phrase"`, `-excluded`. Nothing else has a meaning, and a missing
 * quote at the end is added, so that every beginning of a search is one.
 *
 * @throws `search.invalid` if it names nothing to find, or is too long
 */
export function parseSearchText(text: string): SearchText {
  if (exceedsCodePoints(text, MAX_SEARCH_LENGTH)) throw invalid(`use at most ${MAX_SEARCH_LENGTH} characters`);
  const terms: SearchTerm[] = [];
  const excluded: SearchTerm[] = [];
  let count = 0;
  for (const [, minusQuoted, phrase, star, minus, plain = ''] of text.matchAll(TERMS)) {
    const isPhrase = phrase !== undefined;
    const words = wordsOf(phrase ?? plain);
    if (words.length === 0) continue;
    count += words.length;
    const isPrefix = isPhrase ? star === '*' : plain.endsWith('*');
    const isExcluded = (isPhrase ? minusQuoted : minus) === '-';
    (isExcluded ? excluded : terms).push({ words, isPrefix });
  }
  if (count > MAX_SEARCH_WORDS) throw invalid(`use at most ${MAX_SEARCH_WORDS} words`);
  if (terms.length === 0) throw invalid('name at least one word to find');
  return { terms, excluded };
}
