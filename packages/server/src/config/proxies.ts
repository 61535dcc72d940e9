import type { Values } from './variables.ts';

/** Returns the proxies for outgoing connections; null for direct ones. */
export function proxiesOf({ HTTPS_PROXY, HTTP_PROXY, NO_PROXY }: Values) {
  if (HTTPS_PROXY === undefined && HTTP_PROXY === undefined) return null;
  return { https: HTTPS_PROXY ?? null, http: HTTP_PROXY ?? null, exceptions: NO_PROXY ?? '' };
}
