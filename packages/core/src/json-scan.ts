/** Scans text that is known to be valid JSON. */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
const BACKSLASH = 0x5c;

export const isSpace = (char: number) => char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09;
export const isDigit = (char: number) => char >= 0x30 && char <= 0x39;
/** True for characters after a scalar, and NaN after the text. */
export const endsScalar = (char: number) =>
  char === COMMA || char === CLOSE_BRACE || char === CLOSE_BRACKET || isSpace(char) || Number.isNaN(char);

/** Returns the index after the closing quote of the string that begins at `start`. */
export function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1;
  return i + 1;
}

/** Returns the index after the string, number or word that begins at `start`. */
export function endOfScalar(text: string, start: number): number {
  if (text.charCodeAt(start) === QUOTE) return endOfString(text, start);
  let i = start;
  while (!endsScalar(text.charCodeAt(i))) i++;
  return i;
}
