import type { IncomingHttpHeaders } from 'node:http';
import {
  type AppError,
  type BatchFailure,
  type ErrorCode,
  isAppError,
  isBatchFailure,
  type Logger,
} from '@baobab/core';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncodings } from '../requests/bodies.ts';
import { pathOf } from '../requests/target.ts';
import { callId } from '../responses/envelope.ts';
import { FOR_CALLER_HEADERS } from '../responses/headers.ts';
import { API_VERSION } from '../version.ts';
import { HTTP_ERRORS, type HttpErrorCode } from './http-errors.ts';
import { inputErrors } from './input-errors.ts';
import { statusOf } from './statuses.ts';

/** `bb_code` of failures for which the API defines one. Clients use it to distinguish failures with the same status. */
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
    /** Statuses of error codes that differ on this route. */
    status?: Partial<Record<ErrorCode, number>>;
  }
}

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
function shownHeaders(headers: IncomingHttpHeaders): Record<string, string[]> {
  const shown = Object.entries(headers).map(([name, value]) => {
    const values = Array.isArray(value) ? value : [String(value)];
    return [name, SHOWN.has(name) ? values : ['***']];
  });
  return Object.fromEntries(shown);
}

/** Failures of bodies that may not have arrived completely. */
const WHILE_ARRIVING: ReadonlySet<unknown> = new Set<ErrorCode>([
  'input.too_large',
  'input.encoding_unsupported',
  'service.bodies_busy',
]);

/** `Retry-After` of 503 failures, in seconds. */
const RETRY_AFTER_S = 1;

/** Any error code of a response. */
export type FailureCode = ErrorCode | HttpErrorCode;

/** Code as sent: extensions may choose their own. */
type SentCode = FailureCode | (string & Record<never, never>);

/** Problem with one input. */
export interface InputError {
  /** JSON Pointer into the body, or `query.<name>`, `path.<name>`, `header.<name>`. */
  readonly path: string;
  readonly message: string;
  /** Index of the batch operation whose document has the problem. */
  readonly operation?: number;
}

/** Failure as sent to the client. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly code: SentCode;
  /** Problems with the input, if any. */
  readonly errors?: readonly InputError[];
  /** Seconds after which to retry, if known. */
  readonly retryAfter?: number | null;
  /** Index of the failed operation of a batch. */
  readonly operation?: number | null;
  /** Additional members with the data that the client needs to continue. */
  readonly beside?: Readonly<Record<string, string>> | null;
}

/** Parts of a request that contain input. */
type Inputs = Pick<FastifyRequest, 'body' | 'query' | 'params'>;

const has = (part: unknown, name: string) => typeof part === 'object' && part !== null && Object.hasOwn(part, name);

/** Converts the core's name of an input to its path in the request. */
function pathOfInput(input: string, inputs: Inputs | null): string {
  if (input === '' || input.startsWith('/')) return input;
  if (inputs !== null && !has(inputs.query, input)) {
    // Lists accept their parameters in the query or in the body, settings in the path or in the body.
    if (has(inputs.body, input)) return `/${input}`;
    if (has(inputs.params, input)) return `path.${input}`;
  }
  return input === 'Idempotency-Key' ? `header.${input}` : `query.${input}`;
}

/** Converts an error of the core to a failure. @param request null for an operation of a batch */
function appFailure(error: AppError, request: FastifyRequest | null): Failure {
  if (error.refusal !== null) return error.refusal;
  // Statuses of this route override the defaults.
  const status = request?.routeOptions.config?.status?.[error.code] ?? statusOf(error.code);
  const { message, code, input, problems, retryAfter, beside } = error;
  const errors = input === null ? problems : [{ path: pathOfInput(input, request), message }];
  return { status, message, code, retryAfter, beside, ...(errors.length > 0 && { errors }) };
}

/**
 * Returns the failure of one batch operation. It includes problems of the resulting document. The name of any other
 * invalid input is omitted, because it has no meaning outside the operation.
 */
export function operationFailure(error: AppError, operation: number): Failure {
  const failure = appFailure(error, null);
  return error.problems.length === 0
    ? failure
    : { ...failure, errors: error.problems.map((problem) => ({ ...problem, operation })) };
}

/** Returns the failure of a batch. */
function batchFailure({ message, operation, failure }: BatchFailure): Failure {
  const { errors, ...failed } = operationFailure(failure, operation);
  return { ...failed, message, operation, ...(errors !== undefined && failure.problems.length > 0 && { errors }) };
}

/** Error codes for those of Fastify. */
const FRAMEWORK_CODES: ReadonlyMap<string, FailureCode> = new Map<string, FailureCode>([
  ['FST_ERR_BAD_URL', 'path.invalid'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'path.too_long'],
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'input.too_large'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'media_type.unsupported'],
  ['FST_ERR_VALIDATION', 'input.invalid'],
]);

/**
 * Codes for which Fastify's message is not sent: it would repeat the path or query, which may contain a token, or only
 * name the status.
 */
const WITHOUT_THEIR_MESSAGE: ReadonlySet<FailureCode> = new Set([
  'path.invalid',
  'path.too_long',
  'media_type.unsupported',
]);

/** Returns the failure for an error of Fastify itself (path, body, media type, schema), or null for any other error. */
function ofFramework(error: FastifyError): Failure | null {
  const status = error.statusCode ?? 500;
  if (status < 400 || status >= 500) return null;
  const code = FRAMEWORK_CODES.get(error.code) ?? 'request.malformed';
  const message = WITHOUT_THEIR_MESSAGE.has(code) ? HTTP_ERRORS[code as HttpErrorCode][1] : error.message;
  const errors = inputErrors(error);
  return { status, message, code, ...(errors.length > 0 && { errors }) };
}

/** Converts any error to a failure; null if it is unexpected. */
function failureOf(error: Error, request: FastifyRequest): Failure | null {
  if (isAppError(error)) return appFailure(error, request);
  return isBatchFailure(error) ? batchFailure(error) : ofFramework(error as FastifyError);
}

const [INTERNAL_STATUS, INTERNAL_MESSAGE] = HTTP_ERRORS.internal;
const UNEXPECTED: Failure = { status: INTERNAL_STATUS, message: INTERNAL_MESSAGE, code: 'internal' };

/** Returns a failure of HTTP itself. @param message replaces the catalogue's message */
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

/** Returns the envelope of a failure as JSON text. */
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

/** Sets the status and headers of a failure, regardless of its body. */
export function beginFailure(reply: FastifyReply, { status, code, retryAfter = null }: Failure): FastifyReply {
  const seconds = retryAfter ?? (status === 503 ? RETRY_AFTER_S : null);
  if (seconds !== null) reply.header('Retry-After', String(seconds));
  if (code === 'input.encoding_unsupported') reply.header('Accept-Encoding', acceptedEncodings(reply.request));
  // Overrides the caching headers of the success.
  return reply.status(status).headers(FOR_CALLER_HEADERS);
}

/** Sends a failure in the envelope. */
export function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: Failure): FastifyReply {
  beginFailure(reply, failure).type('application/json; charset=utf-8');
  const { method, raw } = request;
  const header = shownHeaders(request.headers);
  return reply.send(failureJson({ ...failure, resource: pathOf(raw.url ?? ''), method, header, id: callId(request) }));
}

/** Failures that the client did not cause. They are logged for the operator. */
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
 * Creates Fastify's error handler, which answers every error of a request and logs those that an operator must see.
 *
 * @param send writes the response: `sendFailure`, except for HTML pages
 */
export function createErrorHandler<R>(
  logger: Logger,
  send: (request: FastifyRequest, reply: FastifyReply, failure: Failure) => R,
) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): R => {
    const failure = failureOf(error, request);
    const bindings = { err: error, reqId: request.id, method: request.method, path: pathOf(request.raw.url ?? '') };
    if (failure === null) logger.error(bindings, 'request failed');
    else if (WORTH_A_LOOK.has(failure.code)) logger.warn(bindings, 'request not served');
    // Fastify would close the connection before the rest of the body has arrived. A client that is still sending would
    // lose the response, and a proxy would consider the server dead.
    if ('code' in error && WHILE_ARRIVING.has(error.code)) reply.removeHeader('connection');
    return send(request, reply, failure ?? UNEXPECTED);
  };
}
