import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { AppError } from '@baobab/core';
import type { FastifyRequest } from 'fastify';

/**
 * `uri-host [":" port]` (RFC 3986, section 3.2.2) of a name or an IPv4 address. The host of an `http` URI is never
 * empty.
 */
const NAME_AND_PORT = /^(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+(?::\d{0,5})?$/i;
const IPV6_AND_PORT = /^\[([\da-f:.]+)\](?::\d{0,5})?$/i;

const HOST = 'host';

/** Last valid host, cached because almost all requests have the same one. */
let known = '';

function isHost(value: string): boolean {
  const [, address] = IPV6_AND_PORT.exec(value) ?? [];
  const isValid = NAME_AND_PORT.test(value) || (address !== undefined && isIPv6(address));
  if (isValid) known = value;
  return isValid;
}

/** Counts `Host` headers. Node drops all but the first, so only the raw headers show them. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name !== undefined && name.length === HOST.length && name.toLowerCase() === HOST) count++;
  }
  return count;
}

/** Returns the problem with the `Host` header of a request (RFC 9112, section 3.2), or null. */
export function hostProblem({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): string | null {
  const { host } = headers;
  if (host === undefined) return httpVersionMinor === 0 ? null : 'the header Host is missing';
  if (countHosts(rawHeaders) > 1) return 'the header Host must be sent once';
  return host === known || isHost(host)
    ? null
    : 'the header Host must be a host name or an address, with or without a port';
}

/** Query parameters as sent. The value of a repeated one is an array. */
export type RawQuery = Readonly<Record<string, unknown>>;

/** Returns a parameter that must not be repeated. @throws `input.invalid` */
export function textOf(query: RawQuery, name: string): string | null {
  const value = query[name];
  if (value === undefined) return null;
  if (typeof value === 'string') return value;
  throw new AppError('input.invalid', { detail: `${name} must be given once`, input: name });
}

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

/**
 * True if a route may serve the path. This is the only check of request paths. Pages for browsers are folders, so their
 * own routes may end with a slash. Preflights are exempt: they change nothing, and pages see only failures of the
 * request that follows.
 */
export function hasServedPath({ method, raw, routeOptions }: FastifyRequest): boolean {
  const url = raw.url ?? '';
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (isUnambiguous(path) || method === 'OPTIONS') return true;
  return /\/\*?$/.test(routeOptions.url ?? '') && isUnambiguous(path.replace(/\/$/, ''));
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
  if (url.includes('%00')) return new AppError('input.invalid', { detail: 'the URL contains U+0000' });
  const query = url.indexOf('?');
  if (query === -1 || isPercentEncodedUtf8(url.slice(query))) return undefined;
  return new AppError('input.invalid', { detail: 'the query is not percent-encoded UTF-8' });
}

/** Path prefixes after which everything is hidden. `/logout/:deviceId` and the push routes contain device tokens. */
const SECRET_PART = new RegExp(
  `^(${[
    '/user/password/reset',
    '/user/email/confirm',
    '/admin/configuration/[^/]+/[^/]+',
    '/invitation',
    '/push/enable/(?:android|ios)',
    '/push/enable',
    '/push/disable',
    '/logout',
    '/me/sessions',
  ].join('|')})/.+`,
  'is',
);

/**
 * Decodes escaped ASCII characters, as the router does. Other escapes remain, so that a path that is not UTF-8, which
 * no route serves, is handled like any other.
 */
const decoded = (path: string) =>
  path.replace(/%([0-7][0-9a-f])/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/**
 * Returns the path for logs and responses: without the query, which may contain a token, and without secret path
 * segments (reset tokens, invitation codes, values of settings, device tokens, session ids).
 */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (path.startsWith('/document/') && !path.includes('%')) return path; // fast path of most requests
  // Paths with empty segments are refused, but still logged.
  const plain = (path.includes('%') ? decoded(path) : path).replace(/\/{2,}/g, '/');
  return SECRET_PART.test(plain) ? plain.replace(SECRET_PART, '$1/***') : path;
}
