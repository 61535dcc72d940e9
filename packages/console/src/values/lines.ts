/** Returns true if a text has several lines, which an `input` would join. */
export const hasLines = (text: string): boolean => /[\r\n]/.test(text);

/** Returns the line break of a text; null if it has different ones, or one that no `textarea` keeps. */
export const breakOf = (text: string): '\n' | '\r\n' | null =>
  (['\n', '\r\n'] as const).find((one) => !hasLines(text.replaceAll(one, ''))) ?? null;

/** Returns a text with the line breaks of a `textarea`. With others, React would set it again, and move the cursor. */
export const shownText = (text: string): string => text.replaceAll(/\r\n?/g, '\n');

/** Returns a text from a `textarea`, which has `\n` for every line break, with the line breaks of the stored one. */
export const withBreaksOf = (stored: string, typed: string): string =>
  breakOf(stored) === '\r\n' ? typed.replaceAll('\n', '\r\n') : typed;
