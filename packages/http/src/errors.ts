import {
  type AppError,
  type BatchFailure,
  type ErrorCode,
  isAppError,
  isBatchFailure,
  type Logger,
} from '@baobab/core';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { FOR_CALLER_HEADERS } from './caching.ts';
import { callId } from './envelope.ts';
import { HTTP_ERRORS, type HttpErrorCode } from './http-errors.ts';
import { inputErrors } from './input-errors.ts';
import { pathOf, shownHeaders } from './shown.ts';
import { API_VERSION } from './version.ts';

/** The HTTP status of each error code. Routes that need another status say so in their own configuration. */
export const STATUS: Readonly<Record<ErrorCode, number>> = {
  'access.denied': 403,
  'admin.required': 403,
  'app_code.invalid': 400,
  'app_code.missing': 401,
  'asset.exists': 400,
  'asset.name_invalid': 400,
  'asset.no_file': 404,
  'asset.not_found': 404,
  'auth.challenge_invalid': 401,
  'auth.code_invalid': 401,
  'auth.fresh_login_required': 401,
  'auth.invalid': 401,
  'auth.locked': 429,
  'auth.required': 401,
  'auth.second_factor_required': 401,
  'batch.answer_too_large': 413,
  'batch.invalid': 400,
  'batch.operation_unknown': 400,
  'blobs.misconfigured': 503,
  'blobs.missing': 500,
  'blobs.unavailable': 503,
  'block.not_found': 404,
  'block.self': 400,
  'changes.cursor_expired': 410,
  'changes.cursor_invalid': 400,
  'changes.resync_required': 409,
  'changes.too_many_streams': 429,
  'changes.too_slow': 503,
  'changes.unavailable': 503,
  'collection.exists': 400,
  'collection.name_invalid': 400,
  'collection.not_found': 404,
  'criteria.invalid': 400,
  'document.busy': 409,
  'document.invalid': 400,
  'document.not_found': 404,
  'document.stale': 400,
  'document.too_large': 413,
  'document.version_invalid': 400,
  'expand.limit': 400,
  'field.data_missing': 400,
  'field.index_taken': 400,
  'field.not_found': 404,
  'field.owned': 400,
  'field.path_invalid': 400,
  'field.unreachable': 400,
  'file.missing': 400,
  'file.not_found': 404,
  'file.too_large': 413,
  'follow.exists': 400,
  'follow.not_found': 404,
  'follow.refused': 403,
  'follow.request_not_found': 404,
  'follow.self': 400,
  'grant.action_unknown': 400,
  'grant.group_unknown': 400,
  'grant.invalid': 400,
  'grant.role_unknown': 400,
  'grant.too_many': 400,
  'grant.user_unknown': 400,
  'group.limit': 400,
  'group.member_not_found': 404,
  'group.name_invalid': 400,
  'group.not_found': 404,
  'group.owner_required': 400,
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
  'password.too_weak': 400,
  'passwords.busy': 503,
  'precondition.failed': 412,
  'push.message_not_found': 404,
  'push.refused': 503,
  'push.too_large': 413,
  'push.unconfigured': 503,
  'range.unsatisfiable': 416,
  'rate.limited': 429,
  'registration.closed': 403,
  'reset.address_missing': 400,
  'role.built_in': 400,
  'role.exists': 400,
  'role.name_invalid': 400,
  'role.not_found': 404,
  'service.answers_unread': 503,
  'service.overdue': 503,
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
  'storage.schema_too_new': 503,
  'storage.migration_blocked': 503,
  'storage.transfer_unfinished': 503,
  'schema.invalid': 400,
  'schema.not_found': 404,
  'search.too_long': 400,
  'storage.unavailable': 503,
  'totp.exists': 400,
  'totp.not_found': 404,
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
  'webhook.delivery_not_found': 404,
  'webhook.limit': 400,
  'webhook.not_found': 404,
  'webhook.not_replayable': 400,
  'webhook.url_refused': 400,
};

/** The `bb_code` of failures, where the interface defines one. Clients use it to tell failures of one status apart. */
export const BB_CODES: Readonly<Partial<Record<ErrorCode, string>>> = {
  'auth.locked': '42901',
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
    /** Error codes that this route answers with another status. */
    status?: Partial<Record<ErrorCode, number>>;
  }
}

/** `Retry-After` of failures that say that the service is unavailable, in seconds. */
const RETRY_AFTER_S = 1;

/** Every error code that a response can carry. */
export type FailureCode = ErrorCode | HttpErrorCode;

/** The problem with one input. */
export interface InputError {
  /** A JSON Pointer into the body, or `query.<name>`, `path.<name>`, `header.<name>`. */
  readonly path: string;
  readonly message: string;
  /** The index of the operation of a batch whose document is meant. */
  readonly operation?: number;
}

/** A failure as it is answered. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly code: FailureCode;
  /** The problems with the input, if the input was the problem. */
  readonly errors?: readonly InputError[];
  /** Seconds after which to retry, if known. */
  readonly retryAfter?: number | null;
  /** Index of the failed operation of a batch. */
  readonly operation?: number | null;
  /** Members beside the others: what the client needs in order to go on. */
  readonly beside?: Readonly<Record<string, string>> | null;
}

/** The path of an input in the request, from the core's name for it. */
function pathOfInput(input: string): string {
  if (input === '' || input.startsWith('/')) return input;
  return input === 'Idempotency-Key' ? `header.${input}` : `query.${input}`;
}

/** An error of the core as a failure. @param statuses the statuses of this route, which win over the usual ones */
function appFailure(error: AppError, statuses: Partial<Record<ErrorCode, number>> = {}): Failure {
  const status = statuses[error.code] ?? STATUS[error.code];
  const { message, code, detail, input, problems, retryAfter, beside } = error;
  const errors = input === null ? problems : [{ path: pathOfInput(input), message: detail ?? message }];
  return { status, message, code, retryAfter, beside, ...(errors.length > 0 && { errors }) };
}

/**
 * The failure of one operation of a batch. Problems of the document that would result are said, with the operation. Which
 * input was wrong otherwise is said only in answers to that operation: its name means nothing outside.
 */
export function operationFailure(error: AppError, operation: number): Failure {
  const failure = appFailure(error);
  return error.problems.length === 0
    ? failure
    : { ...failure, errors: error.problems.map((problem) => ({ ...problem, operation })) };
}

/** The failure of a batch. */
function batchFailure({ message, operation, failure }: BatchFailure): Failure {
  const { errors, ...failed } = operationFailure(failure, operation);
  return { ...failed, message, operation, ...(errors !== undefined && failure.problems.length > 0 && { errors }) };
}

/** Our error codes for Fastify's. */
const FRAMEWORK_CODES: ReadonlyMap<string, FailureCode> = new Map<string, FailureCode>([
  ['FST_ERR_BAD_URL', 'path.invalid'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'path.too_long'],
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'input.too_large'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'media_type.unsupported'],
  ['FST_ERR_VALIDATION', 'input.invalid'],
]);

/** Codes for which Fastify's message is not sent: it would repeat the path or query, which may hold a token. */
const WITHOUT_THEIR_MESSAGE: ReadonlySet<FailureCode> = new Set(['path.invalid', 'path.too_long']);

/** The failure for an error that Fastify itself raised (path, body, media type, schema); null for any other error. */
function ofFramework(error: FastifyError): Failure | null {
  const status = error.statusCode ?? 500;
  if (status < 400 || status >= 500) return null;
  const code = FRAMEWORK_CODES.get(error.code) ?? 'request.malformed';
  const message = WITHOUT_THEIR_MESSAGE.has(code) ? HTTP_ERRORS[code as HttpErrorCode][1] : error.message;
  const errors = inputErrors(error);
  return { status, message, code, ...(errors.length > 0 && { errors }) };
}

/** Any error as a failure; null if it is unexpected. @param statuses as for `appFailure` */
function failureOf(error: Error, statuses?: Partial<Record<ErrorCode, number>>): Failure | null {
  if (isAppError(error)) return appFailure(error, statuses);
  return isBatchFailure(error) ? batchFailure(error) : ofFramework(error as FastifyError);
}

const [INTERNAL_STATUS, INTERNAL_MESSAGE] = HTTP_ERRORS.internal;
const UNEXPECTED: Failure = { status: INTERNAL_STATUS, message: INTERNAL_MESSAGE, code: 'internal' };

/** A failure of HTTP itself. @param message replaces the catalogue's message */
export function httpFailure(code: HttpErrorCode, message?: string): Failure {
  const [status, usual] = HTTP_ERRORS[code];
  return { status, message: message ?? usual, code };
}

interface ShownFailure extends Failure {
  readonly resource: string;
  readonly method: string;
  readonly header: Readonly<Record<string, string[]>>;
  readonly id: string | null;
}

/** The envelope of a failure as JSON text. */
export function failureJson(failure: ShownFailure): string {
  const { status, message, code, errors, operation = null, beside = null, resource, method, header, id } = failure;
  const bbCode = BB_CODES[code as ErrorCode];
  return JSON.stringify({
    result: 'error',
    message,
    code,
    ...(errors === undefined ? {} : { errors }),
    ...(bbCode === undefined ? {} : { bb_code: bbCode }),
    ...(operation === null ? {} : { operation }),
    ...beside,
    resource,
    method,
    request_header: header,
    API_version: API_VERSION,
    http_code: status,
    ...(id === null ? {} : { call_id: id }),
  });
}

/** Sets the status and headers of a failure, whatever its body is. */
export function beginFailure(reply: FastifyReply, { status, retryAfter = null }: Failure): FastifyReply {
  const seconds = retryAfter ?? (status === 503 ? RETRY_AFTER_S : null);
  if (seconds !== null) reply.header('Retry-After', String(seconds));
  // Overrides the caching headers that the success would have had.
  return reply.status(status).headers(FOR_CALLER_HEADERS);
}

/** Sends a failure in the envelope. */
export function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: Failure): FastifyReply {
  beginFailure(reply, failure).type('application/json; charset=utf-8');
  const { method, raw } = request;
  const header = shownHeaders(request.headers);
  return reply.send(failureJson({ ...failure, resource: pathOf(raw.url ?? ''), method, header, id: callId(request) }));
}

/** Failures that the client did not cause. They are logged, so that an operator sees the cause. */
const WORTH_A_LOOK: ReadonlySet<string> = new Set<ErrorCode>([
  'storage.unavailable',
  'blobs.misconfigured',
  'blobs.missing',
  'blobs.unavailable',
  'mail.unavailable',
  'mail.refused',
  'social.unavailable',
]);

/**
 * Creates Fastify's error handler: answers every error of a request, and logs those that need an operator.
 *
 * @param send writes the response: `sendFailure`, except for HTML pages
 */
export function createErrorHandler<R>(
  logger: Logger,
  send: (request: FastifyRequest, reply: FastifyReply, failure: Failure) => R,
) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): R => {
    const failure = failureOf(error, request.routeOptions.config?.status);
    const bindings = { err: error, reqId: request.id, method: request.method, path: pathOf(request.raw.url ?? '') };
    if (failure === null) logger.error(bindings, 'request failed');
    else if (WORTH_A_LOOK.has(failure.code)) logger.warn(bindings, 'request not served');
    return send(request, reply, failure ?? UNEXPECTED);
  };
}
