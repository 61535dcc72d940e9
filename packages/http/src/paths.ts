const ESCAPE = /%(?![0-9a-fA-F]{2})/g;

/**
 * Clients send what is not quite a URL: a lone `%` (as in `/resize/50%`) is taken literally, repeated slashes
 * count as one. The query is left as it came.
 */
export function tolerantUrl(url: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (!path.includes('%') && !path.includes('//')) return url;
  const mended = path.replace(ESCAPE, '%25').replace(/\/{2,}/g, '/');
  return end === -1 ? mended : mended + url.slice(end);
}
