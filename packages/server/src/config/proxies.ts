import type { Values } from './variables.ts';

/** The proxies that lead out of this network. */
export interface Proxies {
  /** For `http:` URLs; null: none. */
  readonly http: string | null;
  /** For `https:` URLs and for mail; null: none. */
  readonly https: string | null;
  /** Targets that are reached directly: `NO_PROXY`. */
  readonly exceptions: string;
}

/** Null: everything is reached directly. */
export function proxiesOf({ HTTPS_PROXY, HTTP_PROXY, NO_PROXY }: Values): Proxies | null {
  if (HTTPS_PROXY === undefined && HTTP_PROXY === undefined) return null;
  return { https: HTTPS_PROXY ?? null, http: HTTP_PROXY ?? null, exceptions: NO_PROXY ?? '' };
}
