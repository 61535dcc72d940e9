import type { Values } from './variables.ts';

/** Proxies for outgoing connections. */
export interface Proxies {
  /** For `http:` URLs; null for none. */
  readonly http: string | null;
  /** For `https:` URLs and mail; null for none. */
  readonly https: string | null;
  /** Targets with direct connections: `NO_PROXY`. */
  readonly exceptions: string;
}

/** Returns null for direct connections. */
export function proxiesOf({ HTTPS_PROXY, HTTP_PROXY, NO_PROXY }: Values): Proxies | null {
  if (HTTPS_PROXY === undefined && HTTP_PROXY === undefined) return null;
  return { https: HTTPS_PROXY ?? null, http: HTTP_PROXY ?? null, exceptions: NO_PROXY ?? '' };
}
