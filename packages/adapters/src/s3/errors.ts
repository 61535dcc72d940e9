import { AppError, isAppError } from '@baobab/core';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Returns the HTTP status of the server's response, or null without a response. */
export function statusOf(error: unknown): number | null {
  const metadata = isObject(error) ? error.$metadata : null;
  const status = isObject(metadata) ? metadata.httpStatusCode : null;
  return typeof status === 'number' ? status : null;
}

/** Returns the error code of the server's response, as the SDK names the error. */
export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** Returns a text field in the body of the server's response, or null. */
export function fieldOf(error: unknown, name: string): string | null {
  const value = isObject(error) ? error[name] : null;
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Returns a header of the server's response, or null. */
export function headerOf(error: unknown, name: string): string | null {
  const response = isObject(error) ? error.$response : null;
  const headers = isObject(response) ? response.headers : null;
  return isObject(headers) ? fieldOf(headers, name) : null;
}

/** True if the server has no such key. A missing bucket is a different error. */
export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && nameOf(error) !== 'NoSuchBucket';
}

/** True if the server does not support this part of the protocol. */
export function isUnsupported(error: unknown): boolean {
  const status = statusOf(error);
  return status === 405 || status === 501;
}

export const isBeyondEnd = (error: unknown): boolean => statusOf(error) === 416;

export function unavailable(cause: unknown): AppError {
  return isAppError(cause) ? cause : new AppError('blobs.unavailable', { cause });
}

const WHY: Readonly<Record<number, string>> = {
  301: 'the bucket is in another region',
  400: 'the server does not understand the request: is the region right?',
  401: 'the server does not know the credentials',
  403: 'the credentials may not use the bucket',
  404: 'there is no such bucket',
};

/** Maximum characters of the server's message that are repeated. */
const MAX_SAID = 300;
/** Names that the SDK generates for responses without a code. */
const INVENTED: ReadonlySet<string> = new Set(['', 'Error', 'UnknownError', 'Unknown', 'NotFound']);

/** Returns the server's error in one line: its code and its message, never the fields with keys and signatures. */
function saidBy(cause: unknown): string {
  const code = nameOf(cause);
  if (statusOf(cause) === null || INVENTED.has(code) || /^\d+$/.test(code)) return '';
  const message = cause instanceof Error ? cause.message : '';
  const words = message === '' || message === 'UnknownError' || message === code ? code : `${code}: ${message}`;
  return ` (${words.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, MAX_SAID)})`;
}

/**
 * Translates a failed health check. A wrong bucket or wrong credentials are `blobs.misconfigured`, because waiting does
 * not help.
 */
export function ofHealth(cause: unknown, { bucket, endpoint }: { bucket: string; endpoint: string | null }): AppError {
  const place = `bucket "${bucket}" at ${endpoint ?? 'Amazon'}`;
  if (nameOf(cause) === 'CredentialsProviderError') {
    return new AppError('blobs.misconfigured', { detail: `${place}: there are no credentials`, cause });
  }
  const why = WHY[statusOf(cause) ?? 0];
  const said = saidBy(cause);
  if (why !== undefined) return new AppError('blobs.misconfigured', { detail: `${place}: ${why}${said}`, cause });
  return new AppError('blobs.unavailable', { detail: `${place}${said}`, cause });
}
