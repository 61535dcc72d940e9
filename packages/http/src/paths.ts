import { AppError } from '@baobab/core';

const ESCAPE = /%(?![0-9a-fA-F]{2})/g;
const ORIGIN = /^https?:\/\/[^/?]*/i;
const SLASH = 0x2f;

/**
 * Clients send what is not quite a URL: a lone `%` (as in `/resize/50%`) is taken literally, repeated slashes
 * count as one. The query is left as it came. A proxy may send the whole URL (RFC 9112, section 3.2.2).
 */
export function tolerantUrl(target: string): string {
  const url = target.charCodeAt(0) === SLASH ? target : target.replace(ORIGIN, '');
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (!path.includes('%') && !path.includes('//')) return url;
  const mended = path.replace(ESCAPE, '%25').replace(/\/{2,}/g, '/');
  return end === -1 ? mended : mended + url.slice(end);
}

const BEYOND_ASCII = /%[89a-f]/i;

/** Whether percent-encoded bytes are UTF-8; a lone `%` stands for itself. */
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
 * No name, id or text holds U+0000, and not every database says so kindly. Bytes that are not UTF-8 stand for no text;
 * those in a path have been refused by the router.
 */
export function refuseUnreadable(url: string): AppError | undefined {
  if (!url.includes('%')) return undefined;
  if (url.includes('%00')) return new AppError('input.invalid', { detail: 'the URL holds U+0000' });
  const query = url.indexOf('?');
  if (query === -1 || isPercentEncodedUtf8(url.slice(query))) return undefined;
  return new AppError('input.invalid', { detail: 'the query is not percent-encoded UTF-8' });
}
