import { safeFileName } from '@baobab/core';
import { create } from 'content-disposition';

/**
 * Headers of all stored content, so that it never acts as a page of this origin. It runs no script, loads nothing, has
 * a separate origin (`sandbox`), is not sniffed for another type, and sends no referrer, which may contain a session
 * token. Pages of any origin may embed it.
 */
const STORED_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** A browser that opens audio or video creates a page with a player, which loads the file again. */
const MEDIA_HEADERS = {
  ...STORED_HEADERS,
  'content-security-policy': "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
} as const;

/** Types of documents, which browsers may render as such, whatever is before the slash: `audio/example+xml`. */
const MARKUP = /[/+.](?:x?html|svg|xml)\b/i;

/** Returns the headers of stored content of this type. */
export const storedHeaders = (contentType: string) =>
  /^(?:audio|video)\//i.test(contentType) && !MARKUP.test(contentType) ? MEDIA_HEADERS : STORED_HEADERS;

/** Returns `Content-Type`. Browsers would read UTF-8 as another encoding. Texts of HTML and XML declare their own. */
export const typeHeader = (contentType: string) =>
  /^text\/(?!html$|xml$)/i.test(contentType) ? `${contentType}; charset=utf-8` : contentType;

/** Returns `Content-Disposition` (RFC 6266), with names beyond ASCII as in RFC 8187. */
export function disposition(type: 'inline' | 'attachment', fileName: string): string {
  return create(safeFileName(fileName), { type });
}
