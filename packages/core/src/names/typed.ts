/** An invisible character: white space, controls, the Braille blank, and everything that is not displayed. */
const INVISIBLE = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** The emoji variation selector changes the character before it. */
const SELECTOR = '\ufe0f';

const isVisibleAscii = (code: number) => code > 0x20 && code < 0x7f;

/**
 * Returns the text without surrounding white space and invisible characters, which keyboards and clipboards add. Takes
 * linear time, unlike a regular expression for the end.
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

/** Separators of the digits of a code in mails, on paper and in apps. */
const SEPARATORS = /[\s\p{Pd}\u2212\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns a code as it was issued: without separators, with full-width digits and letters as plain ones. */
export const typedCode = (text: string) => text.normalize('NFKC').replaceAll(SEPARATORS, '');

/** Returns a password in the form that is hashed. Devices compose accents differently. Nothing is trimmed. */
export const typedPassword = (password: string) => password.normalize('NFC');
