/** A character that people cannot see: white space, controls, the Braille blank, and everything that is not shown. */
const INVISIBLE = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** The emoji variation selector changes the character before it. */
const SELECTOR = '\ufe0f';

const isVisibleAscii = (code: number) => code > 0x20 && code < 0x7f;

/**
 * Text without the white space and the invisible characters around it, which keyboards and clipboards add. Takes linear
 * time, unlike a regular expression for the end.
 */
export function trimmed(text: string): string {
  if (isVisibleAscii(text.charCodeAt(0)) && isVisibleAscii(text.charCodeAt(text.length - 1))) return text;
  const characters = Array.from(text);
  const isBlank = (at: number) => INVISIBLE.test(characters[at] ?? 'x');
  let [start, end] = [0, characters.length];
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1) && characters[end - 1] !== SELECTOR) end--;
  return characters.slice(start, end).join('');
}

/** What separates the digits of a code in mails, on paper and in the form of an app. */
const SEPARATORS = /[\s\p{Pd}\u2212\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** A code as it was sent: without separators, with full-width digits and letters as plain ones. */
export const typedCode = (text: string) => text.normalize('NFKC').replaceAll(SEPARATORS, '');

/** A password in the form in which it is hashed: devices compose accents differently. Nothing is trimmed. */
export const typedPassword = (password: string) => password.normalize('NFC');
