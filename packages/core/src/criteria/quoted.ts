import type { AppError } from '../errors.ts';
import { isStorable } from '../utf8.ts';

/** Characters allowed after a backslash, and their meanings. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['/', '/'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['`', '`'],
  // `like` interprets these itself, so they retain their backslash.
  ['%', '\\%'],
  ['_', '\\_'],
]);

const HEX = /^[0-9a-fA-F]{4}$/;

export interface QuotedOptions {
  /** True if a backslash begins an escape. */
  readonly hasEscapes: boolean;
  readonly fail: (at: number, expected: string, found: string) => AppError;
}

interface Piece {
  readonly value: string;
  /** Index after the piece. */
  readonly end: number;
}

/** Decodes the escape whose backslash is at `at`. */
function readEscape(text: string, at: number, { fail }: QuotedOptions): Piece {
  const char = text[at + 1] ?? '';
  if (char === 'u') {
    const digits = text.slice(at + 2, at + 6);
    if (!HEX.test(digits)) throw fail(at + 2, 'four hexadecimal digits', 'something else');
    return { value: String.fromCharCode(Number.parseInt(digits, 16)), end: at + 6 };
  }
  const value = ESCAPES.get(char);
  if (value === undefined) throw fail(at + 1, 'one of \\ \' " ` / b f n r t u % _', 'something else');
  return { value, end: at + 2 };
}

/** Decodes the text between the quotation mark at `start` and the closing one. A doubled mark stands for itself. */
export function readQuoted(text: string, start: number, options: QuotedOptions): Piece {
  const mark = text[start];
  const pieces: string[] = [];
  let at = start + 1;
  for (;;) {
    const char = text[at];
    if (char === undefined) throw options.fail(text.length, `the closing ${mark}`, 'the end');
    const isQuote = char === mark;
    if (isQuote && text[at + 1] !== mark) break;
    const piece =
      char === '\\' && options.hasEscapes
        ? readEscape(text, at, options)
        : { value: char, end: at + (isQuote ? 2 : 1) };
    pieces.push(piece.value);
    at = piece.end;
  }
  const value = pieces.join('');
  if (!isStorable(value)) throw options.fail(start, 'Unicode text without U+0000', 'something else');
  return { value, end: at + 1 };
}
