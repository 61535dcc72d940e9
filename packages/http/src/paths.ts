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

/** No name, id or text holds U+0000, and not every database says so kindly. */
export function refuseNul(url: string): AppError | undefined {
  return url.includes('%00') ? new AppError('input.invalid', { detail: 'the URL holds U+0000' }) : undefined;
}
