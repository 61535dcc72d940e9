import { compareCodePoints } from './text.ts';

/**
 * Languages by whose rules texts can be sorted. Their rules are the same in the ICU versions of the supported
 * databases and of Node, which the agreement test of orders checks.
 */
export const COLLATIONS = [
  'ca',
  'cs',
  'da',
  'de',
  'en',
  'es',
  'et',
  'fi',
  'fr',
  'hr',
  'hu',
  'is',
  'it',
  'lt',
  'nb',
  'nl',
  'pl',
  'pt',
  'ro',
  'sk',
  'sl',
  'sv',
  'tr',
] as const;

export type Collation = (typeof COLLATIONS)[number];

export const isCollation = (name: string): name is Collation => (COLLATIONS as readonly string[]).includes(name);

/** Quotation marks that sort as `'`, and those that sort as `"`. Versions of ICU disagree on them. */
export const SINGLE_QUOTES = '\u2018\u2019\u201a\u201b\uff07';
export const DOUBLE_QUOTES = '\u201c\u201d\u201e\u201f\u2e42\u301d\u301e\u301f\uff02';
const SINGLE = new RegExp(`[${SINGLE_QUOTES}]`, 'g');
const DOUBLE = new RegExp(`[${DOUBLE_QUOTES}]`, 'g');

/** Returns the form in which collated texts are compared: composed (NFC), with straight quotation marks. */
export const collatedText = (text: string) => text.normalize('NFC').replace(SINGLE, "'").replace(DOUBLE, '"');

/**
 * Creates a comparison of texts in the form of `collatedText`. Texts that the language treats alike are sorted by code
 * point.
 */
export function createTextOrder(language: Collation): (a: string, b: string) => number {
  const { compare } = new Intl.Collator(language);
  return (a, b) => compare(a, b) || compareCodePoints(a, b);
}
