import type { AppError } from '../errors.ts';
import { MAX_QUERY_LEVELS, MAX_QUERY_NODES } from './limits.ts';
import { type ParsedText, queryError, shownPiece } from './problem.ts';
import { type Token, tokenize } from './tokens.ts';

/** Words that are names only in backticks, in every part of a query. Case-insensitive. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  'and',
  'as',
  'asc',
  'between',
  'contains',
  'containstext',
  'desc',
  'false',
  'in',
  'is',
  'like',
  'not',
  'null',
  'or',
  'true',
]);

/** Reads the tokens of one part of a query in order, without going back. */
export interface TokenReader {
  /** Returns the next token without reading it. */
  peek(): Token;
  take(): Token;
  /** Returns the next token as a keyword in lower case; null if it is not a keyword. */
  keyword(): string | null;
  /** Reads the next token if it is this symbol or keyword, and returns true if it was. */
  accept(text: string): boolean;
  /** @throws `criteria.invalid` if the next token is not this one */
  expect(text: string): void;
  /** Returns true if this symbol follows the next token. */
  isFollowedBy(symbol: string): boolean;
  /** Returns the error for an unexpected next token (or `token`). */
  unexpected(expected: string, token?: Token): AppError;
  /** Counts a name, a value or a condition that begins at `token`. @throws `criteria.invalid` beyond the limit */
  count(token: Token): void;
  /** Runs `work` one level deeper. @throws `criteria.invalid` beyond the limit */
  deeper<T>(work: () => T): T;
  /** @throws `criteria.invalid` if `more` levels below the current one exceed the limit */
  refuseDeeper(more: number): void;
}

const CLOSING: Token = { kind: 'end', text: '', at: 0 };

function shown({ kind, text }: Token): string {
  if (kind === 'end') return 'the end';
  if (kind === 'text') return 'a text';
  return shownPiece(text);
}

/** @throws `criteria.invalid` if the text cannot be split into tokens */
export function createReader(part: ParsedText, text: string): TokenReader {
  const tokens = tokenize(part, text);
  let at = 0;
  let nodes = 0;
  let level = 0;

  const peek = () => tokens[at] ?? tokens.at(-1) ?? CLOSING;

  function take(): Token {
    const token = peek();
    at++;
    return token;
  }

  function keyword(): string | null {
    const token = peek();
    const word = token.text.toLowerCase();
    return token.kind === 'word' && KEYWORDS.has(word) ? word : null;
  }

  const isNext = (wanted: string) => {
    const token = peek();
    return token.kind === 'symbol' ? token.text === wanted : keyword() === wanted;
  };

  const unexpected = (expected: string, token = peek()) =>
    queryError(part, text, { at: token.at, expected, found: shown(token) });

  function accept(wanted: string): boolean {
    if (!isNext(wanted)) return false;
    at++;
    return true;
  }

  function refuseDeeper(more: number): void {
    if (level + more > MAX_QUERY_LEVELS) throw unexpected(`at most ${MAX_QUERY_LEVELS} levels`);
  }

  return {
    peek,
    take,
    keyword,
    accept,
    expect(wanted) {
      if (!accept(wanted)) throw unexpected(`"${wanted}"`);
    },
    isFollowedBy(symbol) {
      const token = tokens[at + 1];
      return token?.kind === 'symbol' && token.text === symbol;
    },
    unexpected,
    count(token) {
      if (++nodes > MAX_QUERY_NODES) {
        throw unexpected(`at most ${MAX_QUERY_NODES} names, values and conditions`, token);
      }
    },
    deeper(work) {
      refuseDeeper(1);
      level++;
      const result = work();
      level--;
      return result;
    },
    refuseDeeper,
  };
}
