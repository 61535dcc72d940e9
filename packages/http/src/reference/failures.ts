import { ERRORS } from '@baobab/core';
import { BB_CODES, type FailureCode } from '../errors/errors.ts';
import { HTTP_ERRORS, type HttpErrorCode } from '../errors/http-errors.ts';
import { statusOf } from '../errors/statuses.ts';
import { ignoresUnknownQueries } from '../validation.ts';
import { needsPerson } from './persons.ts';
import type { ServedRoute } from './routes.ts';

const isHttpCode = (code: FailureCode): code is HttpErrorCode => Object.hasOwn(HTTP_ERRORS, code);

const statusOn = ({ config }: ServedRoute, code: FailureCode): number =>
  isHttpCode(code) ? HTTP_ERRORS[code][0] : (config.status?.[code] ?? statusOf(code));

/** Failures of every route. */
const EVERYWHERE: readonly FailureCode[] = ['internal', 'input.invalid', 'service.overdue', 'storage.unavailable'];

/** Failures of every authenticated route. */
const GUARDED: readonly FailureCode[] = [
  'account.erasing',
  'app_code.invalid',
  'auth.email_unverified',
  'auth.invalid',
  'auth.locked',
  'auth.second_factor_required',
  'key.invalid',
  'passwords.busy',
  'rate.limited',
  'service.answers_unread',
  'service.stopping',
  'session.invalid',
];

/** Returns the failures that the framework raises on a route. */
function frameworkCodes({ method, url }: ServedRoute): FailureCode[] {
  const ofBody: FailureCode[] = [
    'input.encoding_invalid',
    'input.encoding_unsupported',
    'input.json_invalid',
    'input.too_large',
    'json.number_inexact',
    'media_type.unsupported',
    'request.malformed',
    'service.bodies_busy',
  ];
  return [
    ...(method === 'GET' ? [] : ofBody),
    ...(/[:*]/.test(url) ? (['path.invalid', 'path.segment_invalid', 'path.too_long'] as const) : []),
  ];
}

/** Returns the failures that a route has because of its kind, without declaring them. */
function usualCodes(route: ServedRoute): ReadonlySet<FailureCode> {
  const { access = 'user', appCode } = route.config;
  const codes = new Set([...EVERYWHERE, ...frameworkCodes(route)]);
  if (access === 'open') return codes;
  for (const code of GUARDED) codes.add(code);
  if (!ignoresUnknownQueries(route.config)) codes.add('query.unknown');
  if (access === 'user' || access === 'admin') codes.add('auth.required');
  if (needsPerson(route)) codes.add('key.user_required');
  if (access === 'admin') codes.add('admin.required');
  if (appCode === 'always') codes.add('app_code.missing');
  return codes;
}

const describedBy = (code: FailureCode) => {
  const bbCode = isHttpCode(code) ? undefined : BB_CODES[code];
  const message = isHttpCode(code) ? HTTP_ERRORS[code][1] : ERRORS[code];
  return `- ${message}${bbCode === undefined ? '' : ` (\`bb_code\` ${bbCode})`}`;
};

/** A failing status of a route. */
export interface FailingStatus {
  readonly status: number;
  /** Every code with this status, sorted. */
  readonly codes: readonly FailureCode[];
  /** The route's own description of the status; empty if it has only the usual failures. */
  readonly description: string;
}

/** Returns every failing status of a route, in ascending order. */
export function failingStatuses(route: ServedRoute): readonly FailingStatus[] {
  const usual = usualCodes(route);
  const own = [...(route.config.fails ?? [])].sort();
  const codes = [...new Set<FailureCode>([...usual, ...own])].sort();
  const statuses = [...new Set(codes.map((code) => statusOn(route, code)))].sort((a, b) => a - b);
  return statuses.map((status) => ({
    status,
    codes: codes.filter((code) => statusOn(route, code) === status),
    description: own
      .filter((code) => statusOn(route, code) === status)
      .map(describedBy)
      .join('\n'),
  }));
}
