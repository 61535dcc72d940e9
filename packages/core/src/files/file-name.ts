import { byteLength } from '../utf8.ts';

/** Characters removed from file names: protocols or file systems reject them, or they make a name look like another. */
const UNSHOWN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
/** Maximum length of a name in file systems, in bytes of UTF-8. */
const MAX_NAME_BYTES = 255;
/** Extension by which a program is chosen. */
const EXTENSION = /(?:\.tar)?\.[\p{L}\p{N}_-]{1,16}$/iu;
const NAMELESS = 'file';

/** Shortens a name, preserving its extension. */
function shortened(name: string): string {
  if (byteLength(name) <= MAX_NAME_BYTES) return name;
  const extension = EXTENSION.exec(name)?.[0] ?? '';
  const characters = Array.from(name.slice(0, name.length - extension.length)).slice(0, MAX_NAME_BYTES);
  while (byteLength(characters.join('') + extension) > MAX_NAME_BYTES) characters.pop();
  return characters.join('').trimEnd() + extension;
}

/** Returns a safe file name from one sent by a client: without folders, at most 255 bytes, with its extension. */
export function safeFileName(sent: string): string {
  const name = sent
    .slice(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1)
    .replace(UNSHOWN, '')
    .trim();
  return name === '.' || name === '..' || name === '' ? NAMELESS : shortened(name);
}
