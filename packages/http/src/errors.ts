import { type AppError, type ErrorCode, isAppError, type Logger } from '@baobab/core';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { callId, REPLAYED_HEADER } from './envelope.ts';
import { API_VERSION } from './version.ts';

/** The status of every failure. Where the interface wants another one on some route, it stands beside that route. */
export const STATUS: Readonly<Record<ErrorCode, number>> = {
  'access.denied': 403,
  'admin.required': 403,
  'app_code.invalid': 400,
  'app_code.missing': 401,
  'asset.exists': 400,
  'asset.name_invalid': 400,
  'asset.no_file': 404,
  'asset.not_found': 404,
  'auth.invalid': 401,
  'auth.required': 401,
  'batch.answer_too_large': 413,
  'batch.invalid': 400,
  'batch.operation_unknown': 400,
  'blobs.misconfigured': 503,
  'blobs.missing': 500,
  'blobs.unavailable': 503,
  'collection.exists': 400,
  'collection.name_invalid': 400,
  'collection.not_found': 404,
  'criteria.invalid': 400,
  'document.busy': 409,
  'document.not_found': 404,
  'document.stale': 400,
  'document.too_large': 413,
  'document.version_invalid': 400,
  'field.data_missing': 400,
  'field.not_found': 404,
  'field.owned': 400,
  'field.path_invalid': 400,
  'field.unreachable': 400,
  'file.missing': 400,
  'file.not_found': 404,
  'file.too_large': 413,
  'follow.exists': 400,
  'follow.not_found': 404,
  'follow.self': 400,
  'grant.action_unknown': 400,
  'grant.invalid': 400,
  'grant.role_unknown': 400,
  'grant.user_unknown': 400,
  'idempotency.busy': 409,
  'idempotency.key_invalid': 400,
  'idempotency.not_kept': 409,
  'idempotency.mismatch': 422,
  'image.busy': 503,
  'image.format_invalid': 400,
  'image.format_refused': 400,
  'image.resize_off': 400,
  'image.too_large': 400,
  'image.unreadable': 400,
  'index.not_found': 404,
  'index.path_invalid': 400,
  'index.too_many': 400,
  'input.array_expected': 400,
  'input.empty': 400,
  'input.invalid': 400,
  'input.json_invalid': 400,
  'input.too_large': 413,
  'mail.refused': 503,
  'mail.unavailable': 503,
  'page.too_large': 413,
  'passwords.busy': 503,
  'precondition.failed': 412,
  'push.message_not_found': 404,
  'push.refused': 503,
  'push.too_large': 413,
  'push.unconfigured': 503,
  'range.unsatisfiable': 416,
  'rate.limited': 429,
  'reset.address_missing': 400,
  'role.built_in': 400,
  'role.exists': 400,
  'role.name_invalid': 400,
  'role.not_found': 404,
  'service.answers_unread': 503,
  'service.stopping': 503,
  'session.invalid': 401,
  'session.not_found': 404,
  'setting.key_not_found': 404,
  'setting.section_not_found': 404,
  'setting.value_invalid': 400,
  'social.busy': 409,
  'social.disabled': 400,
  'social.last_link': 409,
  'social.network_unknown': 404,
  'social.none': 404,
  'social.not_linked': 400,
  'social.refused': 401,
  'social.suspended': 401,
  'social.taken': 409,
  'social.token_missing': 400,
  'social.unavailable': 503,
  'storage.from_future': 503,
  'storage.migration_blocked': 503,
  'storage.unfinished': 503,
  'storage.unavailable': 503,
  'upload.invalid': 400,
  'user.email_invalid': 400,
  'user.exists': 400,
  'user.internal': 400,
  'user.name_invalid': 400,
  'user.name_fixed': 400,
  'user.not_found': 404,
  'user.old_password_invalid': 400,
  'user.password_invalid': 400,
  'user.section_invalid': 400,
};

/** The codes by which clients tell failures of one status apart, where the interface defines one. */
export const BB_CODES: Readonly<Partial<Record<ErrorCode, string>>> = {
  'document.stale': '40001',
  'grant.action_unknown': '40003',
  'grant.user_unknown': '40005',
  'grant.role_unknown': '40006',
  'input.array_expected': '40010',
  'input.empty': '40011',
  'push.refused': '50303',
  'push.unconfigured': '50301',
  'rate.limited': '42901',
  'session.invalid': '40101',
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Failures that this one route answers with another status. */
    status?: Partial<Record<ErrorCode, number>>;
  }
}

/** Seconds after which a client may try again when the service could not serve it. */
const RETRY_AFTER_S = 1;

const REDACTED = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'x-baasbox-appcode',
  'x-bb-session',
  'x-service-appcode',
]);

/** The headers as the interface shows them in errors: arrays by name, without credentials. */
function requestHeader({ headers }: FastifyRequest): Record<string, string[]> {
  const shown = Object.entries(headers).map(([name, value]) => {
    const values = Array.isArray(value) ? value : [String(value)];
    return [name, REDACTED.has(name) ? ['***'] : values];
  });
  return Object.fromEntries(shown);
}

interface Failure {
  readonly status: number;
  readonly message: string;
  readonly code: ErrorCode | null;
  /** Seconds after which to try again, where that is known. */
  readonly retryAfter?: number | null;
  /** Which operation of a batch it was. */
  readonly operation?: number | null;
}

function ofAppError(error: AppError, request: FastifyRequest): Failure {
  const status = request.routeOptions.config?.status?.[error.code] ?? STATUS[error.code];
  const { message, code, retryAfter, operation } = error;
  return { status, message, code, retryAfter, operation };
}

/** Messages of Fastify's own that would repeat the query, which may hold a token. */
const OTHER_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['FST_ERR_BAD_URL', 'The path is not valid percent-encoded UTF-8'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'A part of the path is too long'],
]);

/** What Fastify itself refuses: paths, bodies, media types, schemas. */
function ofFramework(error: FastifyError): Failure | null {
  const status = error.statusCode ?? 500;
  const message = OTHER_MESSAGES.get(error.code) ?? error.message;
  return status >= 400 && status < 500 ? { status, message, code: null } : null;
}

const UNEXPECTED: Failure = { status: 500, message: 'Internal error; the request id names it in the log', code: null };

interface ShownFailure extends Failure {
  readonly resource: string;
  readonly method: string;
  readonly header: Readonly<Record<string, string[]>>;
  readonly id: string | null;
}

/** The envelope of a failure. */
export function failureJson(failure: ShownFailure): string {
  const { status, message, code, operation = null, resource, method, header, id } = failure;
  const bbCode = code === null ? undefined : BB_CODES[code];
  return JSON.stringify({
    result: 'error',
    message,
    ...(bbCode === undefined ? {} : { bb_code: bbCode }),
    ...(operation === null ? {} : { operation }),
    resource,
    method,
    request_header: header,
    API_version: API_VERSION,
    http_code: status,
    ...(id === null ? {} : { call_id: id }),
  });
}

/** Answers a failure in the envelope. */
export function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: Failure): FastifyReply {
  const { status } = failure;
  const retryAfter = failure.retryAfter ?? (status === 503 ? RETRY_AFTER_S : null);
  if (retryAfter !== null) reply.header('Retry-After', String(retryAfter));
  reply.status(status).type('application/json; charset=utf-8');
  const { method, raw } = request;
  const header = requestHeader(request);
  return reply.send(failureJson({ ...failure, resource: pathOf(raw.url ?? ''), method, header, id: callId(request) }));
}

const SECRET_PART = /^(\/user\/password\/reset|\/admin\/configuration\/[^/]+\/[^/]+)\/.+/i;

/** As the router reads it: an escaped letter is that letter. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // served by no route
  }
}

/**
 * The path to show in logs and answers: without the query, which may hold a token, and without the parts of paths
 * that are secrets themselves (reset tokens, values of settings).
 */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (path.startsWith('/document/') && !path.includes('%')) return path; // most of all requests
  const plain = path.includes('%') ? decoded(path) : path;
  return SECRET_PART.test(plain) ? plain.replace(SECRET_PART, '$1/***') : path;
}

/** Failures that are nobody's mistake in the request: somebody has to know the cause. */
const WORTH_A_LOOK: ReadonlySet<string> = new Set<ErrorCode>([
  'storage.unavailable',
  'blobs.misconfigured',
  'blobs.missing',
  'blobs.unavailable',
  'mail.unavailable',
  'mail.refused',
  'social.unavailable',
]);

/** The last word on every error of a request. */
export function createErrorHandler(logger: Logger) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const failure = isAppError(error) ? ofAppError(error, request) : ofFramework(error as FastifyError);
    const bindings = { err: error, reqId: request.id, method: request.method, path: pathOf(request.raw.url ?? '') };
    if (failure === null) logger.error(bindings, 'request failed');
    else if (WORTH_A_LOOK.has(failure.code ?? '')) logger.warn(bindings, 'request not served');
    if (isAppError(error) && error.isReplay) reply.header(REPLAYED_HEADER, 'true');
    return sendFailure(request, reply, failure ?? UNEXPECTED);
  };
}
