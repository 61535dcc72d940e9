import type { Path } from '../syntax.ts';
import type { Resolve } from '../values.ts';
import type { SearchTerm, SearchText } from './search-text.ts';
import { fieldTexts } from './stored-words.ts';
import { type PlacedWords, placedWords } from './tokens.ts';

/** A part of a snippet. `hit`: true if the search found it. */
export interface SnippetPart {
  readonly text: string;
  readonly hit?: true;
}

/** Length of a snippet, and of its part before the first hit, in UTF-16 units. */
const LENGTH = 160;
const BEFORE = 40;
/** Maximum length of the text that is searched for hits, in UTF-16 units. */
const SEARCHED = 250_000;

interface Range {
  readonly from: number;
  readonly to: number;
}

interface PlacedWord extends Range {
  readonly word: string;
}

/** Returns true if the words that begin at this index are the term. */
function beginsAt(words: readonly PlacedWord[], at: number, term: SearchTerm): boolean {
  return term.words.every((word, i) => {
    const found = words[at + i]?.word;
    if (found === undefined) return false;
    return term.isPrefix && i === term.words.length - 1 ? found.startsWith(word) : found === word;
  });
}

const separate = ({ words, ...range }: PlacedWords): PlacedWord[] => words.map((word) => ({ word, ...range }));

/** Returns the ranges of all hits, in order. They do not overlap. */
function hitsIn(text: string, { terms }: SearchText): readonly Range[] {
  const words = Array.from(placedWords(text.slice(0, SEARCHED))).flatMap(separate);
  const found: Range[] = [];
  for (let at = 0; at < words.length; at++) {
    const term = terms.find((one) => beginsAt(words, at, one));
    const [first, last] = [words[at], words[at + (term?.words.length ?? 0) - 1]];
    if (term === undefined || first === undefined || last === undefined) continue;
    const before = found.at(-1);
    if (before === undefined || first.from >= before.to) found.push({ from: first.from, to: last.to });
  }
  return found;
}

/** Moves a place to the beginning of a word, so that the snippet begins with one if the text before the hit has spaces. */
function wordStart(text: string, place: number, first: number): number {
  if (place <= 0) return 0;
  const space = text.slice(place, first).indexOf(' ');
  return space === -1 ? place : place + space + 1;
}

/** Moves a place between two halves of a character before it. */
const whole = (text: string, place: number) => (/[\udc00-\udfff]/.test(text.charAt(place)) ? place - 1 : place);

function excerpt(text: string, hits: readonly Range[]): SnippetPart[] {
  const first = hits[0]?.from ?? 0;
  const from = whole(text, wordStart(text, first - BEFORE, first));
  const to = whole(text, Math.min(text.length, Math.max(from + LENGTH, Math.min(hits[0]?.to ?? 0, from + 2 * LENGTH))));
  const parts: SnippetPart[] = [];
  const add = (part: string, isHit: boolean) => {
    if (part !== '') parts.push(isHit ? { text: part, hit: true } : { text: part });
  };
  let place = from;
  if (from > 0) add('…', false);
  for (const hit of hits) {
    if (hit.from < place || hit.from >= to) continue;
    add(text.slice(place, hit.from), false);
    place = Math.min(hit.to, to);
    add(text.slice(hit.from, place), true);
  }
  add(text.slice(place, to), false);
  if (to < text.length) add('…', false);
  return parts;
}

/**
 * Returns the part of a field around the first hit; its beginning if there is none. Null if the field contains no text.
 * An excerpt of text, not of HTML: nothing is escaped.
 */
export function snippetOf(path: Path, search: SearchText, resolve: Resolve): readonly SnippetPart[] | null {
  const found = fieldTexts(path, resolve).map((text) => ({ text, hits: hitsIn(text, search) }));
  const best = found.find(({ hits }) => hits.length > 0) ?? found[0];
  return best === undefined ? null : excerpt(best.text, best.hits);
}
