import { ERRORS, type ErrorCode } from '@baobab/core';
import { BB_CODES, STATUS } from '../errors.ts';
import type { ServedRoute } from './routes.ts';

const UNEXPECTED = 500;
const UNAVAILABLE = 503;

const statusOf = ({ config }: ServedRoute, code: ErrorCode): number => config.status?.[code] ?? STATUS[code];

/** Failures of every route behind the authentication. */
const GUARDED: readonly ErrorCode[] = [
  'app_code.invalid',
  'auth.invalid',
  'input.invalid',
  'passwords.busy',
  'rate.limited',
  'service.answers_unread',
  'service.stopping',
  'session.invalid',
  'storage.unavailable',
];

function usualCodes(route: ServedRoute): ErrorCode[] {
  const { access = 'user', appCode } = route.config;
  if (access === 'open') return [];
  const codes = [...GUARDED];
  if (access === 'user') codes.push('auth.required');
  if (access === 'user' && route.url.startsWith('/admin/')) codes.push('admin.required');
  if (appCode === 'always') codes.push('app_code.missing');
  return codes;
}

/** What the framework itself refuses. */
function frameworkStatuses({ method, url }: ServedRoute): number[] {
  return [...(method === 'GET' ? [] : [400, 413, 415]), ...(/[:*]/.test(url) ? [400, 414] : [])];
}

/** The statuses that a route has because of what it is, without a word about it. */
export function usualStatuses(route: ServedRoute): ReadonlySet<number> {
  const codes = usualCodes(route).map((code) => statusOf(route, code));
  return new Set([UNEXPECTED, UNAVAILABLE, ...codes, ...frameworkStatuses(route)]);
}

const said = (code: ErrorCode) => {
  const bbCode = BB_CODES[code];
  return `- ${ERRORS[code]}${bbCode === undefined ? '' : ` (\`bb_code\` ${bbCode})`}`;
};

/** Every failing status of a route, with what it says of its own failures; empty where there are but the usual ones. */
export function failingStatuses(route: ServedRoute): ReadonlyMap<number, string> {
  const statuses = new Map<number, string>();
  for (const status of usualStatuses(route)) statuses.set(status, '');
  const own = [...(route.config.fails ?? [])].sort();
  for (const code of own) {
    const status = statusOf(route, code);
    const before = statuses.get(status) ?? '';
    statuses.set(status, before === '' ? said(code) : `${before}\n${said(code)}`);
  }
  return new Map([...statuses].toSorted(([one], [other]) => one - other));
}
