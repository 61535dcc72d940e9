import type { IncomingHttpHeaders } from 'node:http';

/**
 * What a failure repeats of the headers. Proxies add credentials under names that nobody can list, so those that are
 * known to be harmless are listed; `Referer` is not, for it may hold a session token.
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

/** The headers as the interface shows them in errors: arrays by name; of others than harmless ones but the name. */
export function shownHeaders(headers: IncomingHttpHeaders): Record<string, string[]> {
  const shown = Object.entries(headers).map(([name, value]) => {
    const values = Array.isArray(value) ? value : [String(value)];
    return [name, SHOWN.has(name) ? values : ['***']];
  });
  return Object.fromEntries(shown);
}

/** Everything behind these is not shown. `/logout/:deviceId` and the paths of push name the token of a device. */
const SECRET_PART = new RegExp(
  `^(${[
    '/user/password/reset',
    '/admin/configuration/[^/]+/[^/]+',
    '/push/enable/(?:android|ios)',
    '/push/enable',
    '/push/disable',
    '/logout',
    '/me/sessions',
  ].join('|')})/.+`,
  'is',
);

/**
 * With escaped ASCII characters as the router reads them: an escaped letter is that letter. The other escapes stay, so
 * that a path which is not UTF-8, and which no route serves, is looked at like any other.
 */
const decoded = (path: string) =>
  path.replace(/%([0-7][0-9a-f])/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/**
 * The path to show in logs and answers: without the query, which may hold a token, and without the parts of paths
 * that are secrets themselves (reset tokens, values of settings, tokens of devices, ids of sessions).
 */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (path.startsWith('/document/') && !path.includes('%')) return path; // most of all requests
  const plain = path.includes('%') ? decoded(path) : path;
  return SECRET_PART.test(plain) ? plain.replace(SECRET_PART, '$1/***') : path;
}
