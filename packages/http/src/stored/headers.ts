import { create } from 'content-disposition';

/**
 * Headers of all stored content, so that it never acts as a page of this origin: it runs no script, loads nothing, has
 * an origin of its own (`sandbox`), is not sniffed for another type, and sends no referrer, which may hold a session
 * token. Pages of any origin may embed it.
 */
export const STORED_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/**
 * Characters that are removed from file names: headers or file systems refuse them, or they make a name look like
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

/** `Content-Disposition` (RFC 6266), with names beyond ASCII by RFC 8187. */
export function disposition(type: 'inline' | 'attachment', fileName: string): string {
  return create(safeFileName(fileName), { type });
}
