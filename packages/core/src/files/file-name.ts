/**
 * Characters that are removed from file names: protocols or file systems refuse them, or they make a name look like
 * another.
 */
const UNSHOWN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const MAX_NAME_LENGTH = 255;
const NAMELESS = 'file';

/** A safe file name from the one that a client sent: without folders, at most 255 characters. */
export function safeFileName(sent: string): string {
  const name = sent
    .slice(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1)
    .replace(UNSHOWN, '')
    .trim();
  const shown = name === '.' || name === '..' ? '' : name;
  return Array.from(shown).slice(0, MAX_NAME_LENGTH).join('') || NAMELESS;
}
