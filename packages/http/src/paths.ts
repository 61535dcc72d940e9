import { AppError } from '@baobab/core';

const ESCAPE = /%(?![0-9a-fA-F]{2})/g;
const ORIGIN = /^https?:\/\/[^/?]*/i;
const SLASH = 0x2f;

/**
 * Normalizes request targets that are not valid URLs. A lone `%` (as in `/resize/50%`) is literal, and leading repeated
 * slashes count as one, because clients join a base URL that ends with a slash. The query is unchanged. Proxies may
 * send an absolute URL (RFC 9112, section 3.2.2).
 */
export function tolerantUrl({ url: target = '/' }: { readonly url?: string | undefined }): string {
  const url = target.charCodeAt(0) === SLASH ? target : target.replace(ORIGIN, '');
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (!path.includes('%') && !path.startsWith('//')) return url;
  const tolerant = path.replace(ESCAPE, '%25').replace(/^\/{2,}/, '/');
  return end === -1 ? tolerant : tolerant + url.slice(end);
}

/** Paths that do not match have only plain segments. */
const SUSPICIOUS = /\/(?:\.{0,2}(?:\/|$))|[%\\#]/;
const ENCODED_SLASH = /%2f/i;
const ASCII_ESCAPE = /%([0-7][0-9a-f])/gi;
/** Maximum number of times that a chain of proxies may decode a path. */
const DECODINGS = 3;

const isDots = (text: string) => text === '.' || text === '..';

/**
 * True if an intermediate URL parser, proxy or framework could read another path from one that contains this segment.
 * Some treat a backslash as a slash, and some decode twice.
 */
function isAmbiguous(segment: string): boolean {
  if (segment === '' || segment.includes('#') || ENCODED_SLASH.test(segment)) return true;
  let text = segment;
  for (let round = 0; round <= DECODINGS; round++) {
    if (text.split(/[/\\]/).some(isDots)) return true;
    if (!text.includes('%')) return false;
    text = text.replace(ASCII_ESCAPE, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
  return false;
}

/**
 * True if all intermediaries read a path the same way. Other paths must not be served, because they could turn one call
 * into another. @param path without its query, normalized by `tolerantUrl`
 */
export function isUnambiguous(path: string): boolean {
  return !SUSPICIOUS.test(path) || path === '/' || !path.split('/').slice(1).some(isAmbiguous);
}

const BEYOND_ASCII = /%[89a-f]/i;

/** True if percent-encoded text is UTF-8. A lone `%` is literal. */
export function isPercentEncodedUtf8(text: string): boolean {
  if (!BEYOND_ASCII.test(text)) return true;
  try {
    decodeURIComponent(text.replace(ESCAPE, '%25'));
    return true;
  } catch {
    return false;
  }
}

/**
 * Refuses U+0000 anywhere in a URL, which not all databases report well, and queries that are not UTF-8. The router has
 * already refused paths that are not UTF-8. Returns undefined for a valid URL.
 */
export function refuseUnreadable(url: string): AppError | undefined {
  if (!url.includes('%')) return undefined;
  if (url.includes('%00')) return new AppError('input.invalid', { detail: 'the URL holds U+0000' });
  const query = url.indexOf('?');
  if (query === -1 || isPercentEncodedUtf8(url.slice(query))) return undefined;
  return new AppError('input.invalid', { detail: 'the query is not percent-encoded UTF-8' });
}
