import type { IncomingHttpHeaders } from 'node:http';

/**
 * Headers whose values failures repeat. This is an allow-list, because proxies add credentials under arbitrary names.
 * `Referer` is excluded: it may contain a session token.
 */
const SHOWN = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'access-control-request-headers',
  'access-control-request-method',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'dnt',
  'expect',
  'host',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'keep-alive',
  'origin',
  'pragma',
  'range',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'te',
  'transfer-encoding',
  'user-agent',
  'x-request-id',
  'x-requested-with',
]);

/** Returns the headers as failures show them: arrays by name. Values of headers outside the allow-list are masked. */
export function shownHeaders(headers: IncomingHttpHeaders): Record<string, string[]> {
  const shown = Object.entries(headers).map(([name, value]) => {
    const values = Array.isArray(value) ? value : [String(value)];
    return [name, SHOWN.has(name) ? values : ['***']];
  });
  return Object.fromEntries(shown);
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
