/**
 * Diacritics: marks that readers of Latin, Greek, Cyrillic, Hebrew and Arabic leave out when they type. Marks that
 * distinguish words in other scripts (vowel signs of India, the voiced marks of Japanese) stay.
 */
const DIACRITICS =
  /\u0640|(?=\p{M})(?![\u3099\u309a])[\p{Script=Inherited}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]/gu;

/**
 * Scripts written without spaces between words. Each of their characters is a word, with the marks that follow it, so
 * that a phrase finds any part of a sentence. Dictionaries would split the same text differently in each version.
 */
const CHARACTER =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u
    .source;

/** Maximum number of code points in a word. Longer ones are split, in documents and in searches alike. */
const LONGEST = 64;
const WORDS = new RegExp(`${CHARACTER}\\p{M}{0,8}|(?:(?!${CHARACTER})[\\p{L}\\p{N}\\p{M}]){1,${LONGEST}}`, 'gu');
/** A stretch of text without separators, or one character that is a word, before folding. Half-width marks follow it. */
const STRETCH = new RegExp(`${CHARACTER}[\\p{M}\\uff9e\\uff9f]*|(?:(?!${CHARACTER})[\\p{L}\\p{N}\\p{M}])+`, 'gu');

/** Only ASCII: nothing to decompose. */
const PLAIN = /^[\0-\x7f]*$/;

/** Removes differences of case, diacritics, width and other compatibility forms. */
function fold(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  // Only upper case makes `ß` two letters, and only of the lower case letter. `ς` is `σ` at the end of a word.
  const bare = text.normalize('NFKD').replace(DIACRITICS, '').toLowerCase().toUpperCase().toLowerCase();
  return bare.normalize('NFKD').replace(DIACRITICS, '').replaceAll('ς', 'σ').normalize('NFC');
}

/**
 * Returns the words of a text, folded. They contain letters, digits and marks only, so in ASCII nothing but `a` to `z`
 * and `0` to `9`.
 */
export const wordsOf = (text: string): readonly string[] => fold(text).match(WORDS) ?? [];

/** A stretch of the original text, with the words that it contains. */
export interface PlacedWords {
  readonly from: number;
  readonly to: number;
  readonly words: readonly string[];
}

/** Yields the words of a text with their places in it. A place covers several words where they are not separated. */
export function* placedWords(text: string): Generator<PlacedWords> {
  for (const match of text.matchAll(STRETCH)) {
    const words = wordsOf(match[0]);
    if (words.length > 0) yield { from: match.index, to: match.index + match[0].length, words };
  }
}
