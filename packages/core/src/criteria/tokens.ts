import { inexact, isExactNumber } from '../json-numbers.ts';
import { MAX_QUERY_LENGTH } from './limits.ts';
import { type ParsedText, placeIn, queryError, shownPiece } from './problem.ts';
import { readQuoted } from './quoted.ts';
import { lengthInCodePoints } from './text.ts';
import { numberOf } from './values.ts';

/**
 * A token. `quoted`: a name in backticks. `text` and `quoted` are decoded; other tokens are as written by the client.
 */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'text' | 'number' | 'symbol' | 'end';
  readonly text: string;
  /** Index in UTF-16 units. */
  readonly at: number;
}

const SPACE = /[ \t\r\n]+/uy;
const WORD = /[\p{L}\p{M}\p{Nd}_@$]+/uy;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SYMBOL = /<>|<=|>=|!=|[()[\],.?*=<>]/y;
const MARKS: ReadonlySet<string> = new Set(["'", '"', '`']);

/** Returns the match of a sticky expression at `at`; empty if it does not match. */
function piece(expression: RegExp, text: string, at: number): string {
  expression.lastIndex = at;
  return expression.exec(text)?.[0] ?? '';
}

/** Splits one part of a query into tokens. The last token is `end`. @throws `criteria.invalid`, `json.number_inexact` */
export function tokenize(part: ParsedText, text: string): Token[] {
  const fail = (at: number, expected: string, found: string) => queryError(part, text, { at, expected, found });
  if (text.length > 2 * MAX_QUERY_LENGTH || lengthInCodePoints(text) > MAX_QUERY_LENGTH) {
    throw fail(0, `at most ${MAX_QUERY_LENGTH} characters`, 'more');
  }
  const tokens: Token[] = [];
  let at = 0;

  function quoted(mark: string): Token {
    const start = at;
    const kind = mark === '`' ? 'quoted' : 'text';
    const { value, end } = readQuoted(text, start, { hasEscapes: kind === 'text', fail });
    at = end;
    return { kind, text: value, at: start };
  }

  function number(): Token {
    const written = piece(NUMBER, text, at);
    if (numberOf(written) === null || piece(WORD, text, at + written.length) !== '') {
      throw fail(at, 'a number as in JSON, or a name (in backticks when it begins with a digit)', shownPiece(written));
    }
    if (!isExactNumber(written)) throw inexact(written, placeIn(part, text, at), part === 'path' ? undefined : part);
    const token = { kind: 'number', text: written, at } as const;
    at += written.length;
    return token;
  }

  /** Returns true after a dot, where a name may begin with a digit, because no number can follow. */
  const isAfterDot = () => {
    const last = tokens.at(-1);
    return last?.kind === 'symbol' && last.text === '.';
  };

  function next(): Token {
    const char = text[at] ?? '';
    if (MARKS.has(char)) return quoted(char);
    if (!isAfterDot() && piece(NUMBER, text, at) !== '') return number();
    const word = piece(WORD, text, at);
    const found = word === '' ? piece(SYMBOL, text, at) : word;
    if (found === '') {
      throw fail(at, 'a name, a value or an operator', shownPiece(String.fromCodePoint(text.codePointAt(at) ?? 0)));
    }
    at += found.length;
    return { kind: word === '' ? 'symbol' : 'word', text: found, at: at - found.length };
  }

  for (;;) {
    at += piece(SPACE, text, at).length;
    if (at >= text.length) return [...tokens, { kind: 'end', text: '', at: text.length }];
    tokens.push(next());
  }
}
