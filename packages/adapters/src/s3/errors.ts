import { AppError, isAppError } from '@baobab/core';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The HTTP status of the server's answer; null when there was none. */
export function statusOf(error: unknown): number | null {
  const metadata = isObject(error) ? error.$metadata : null;
  const status = isObject(metadata) ? metadata.httpStatusCode : null;
  return typeof status === 'number' ? status : null;
}

/** The code of the server's answer, as the SDK names the error. */
export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** A text that the body of the server's answer contains; null when there is none. */
export function fieldOf(error: unknown, name: string): string | null {
  const value = isObject(error) ? error[name] : null;
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A header of the server's answer; null when there is none. */
export function headerOf(error: unknown, name: string): string | null {
  const response = isObject(error) ? error.$response : null;
  const headers = isObject(response) ? response.headers : null;
  return isObject(headers) ? fieldOf(headers, name) : null;
}

/** Whether the server has no such key. A missing bucket is a different error. */
export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && nameOf(error) !== 'NoSuchBucket';
}

/** Whether the server does not support this part of the protocol. */
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

/** Characters of the server's words that a message repeats. */
const MAX_SAID = 300;
/** Names that the SDK invents for answers without a code. */
const INVENTED: ReadonlySet<string> = new Set(['', 'Error', 'UnknownError', 'Unknown', 'NotFound']);

/** What the server said, in one line: its code and its message, never the fields with keys and signatures. */
function saidBy(cause: unknown): string {
  const code = nameOf(cause);
  if (statusOf(cause) === null || INVENTED.has(code) || /^\d+$/.test(code)) return '';
  const message = cause instanceof Error ? cause.message : '';
  const words = message === '' || message === 'UnknownError' || message === code ? code : `${code}: ${message}`;
  return ` (${words.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, MAX_SAID)})`;
}

/**
 * Translates a failed health check: wrong bucket or credentials are `blobs.misconfigured`, since waiting will not help.
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
