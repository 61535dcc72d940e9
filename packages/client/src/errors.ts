import type { ServiceErrorCode } from './error-codes.ts';

/** Failures that the client itself detects: no response, or an unreadable one. */
export type ClientErrorCode =
  | 'client.aborted'
  | 'client.timeout'
  | 'client.network'
  | 'client.answer'
  | OfflineErrorCode;

/** Failures of `@baobab/client/offline`. */
type OfflineErrorCode =
  | 'client.no_user'
  | 'client.outcome_unknown'
  | 'client.store_closed'
  | 'client.store_full'
  | 'client.store_newer'
  | 'client.store_unavailable';

export type ErrorCode = ServiceErrorCode | ClientErrorCode;

export interface InputProblem {
  /** A JSON Pointer into the body, or `query.<name>`, `path.<name>`, `header.<name>`. */
  readonly path: string;
  readonly message: string;
  /** Index of the operation in a batch, from 0. */
  readonly operation?: number;
}

export interface BaobabErrorDetails {
  /** HTTP status; 0 without a response. */
  readonly status?: number;
  readonly errors?: readonly InputProblem[];
  readonly operation?: number | null;
  readonly retryAfter?: number | null;
  readonly challenge?: string | null;
  readonly id?: string | null;
  readonly cause?: unknown;
}

/** Error of a failed call. `code` identifies the failure and is stable across releases. */
export class BaobabError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'BaobabError';
  readonly code: C;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Problems with the input; empty for other failures. */
  readonly errors: readonly InputProblem[];
  /** Index of the failed operation in a batch, from 0. */
  readonly operation: number | null;
  /** Seconds to wait before a retry, if the server specifies them. */
  readonly retryAfter: number | null;
  /** With `auth.second_factor_required`: the challenge to pass to `auth.loginSecond`. */
  readonly challenge: string | null;
  /** With `document.duplicate`: id of the other document, if the user may read it. */
  readonly id: string | null;

  constructor(code: C, message: string, details: BaobabErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? 0;
    this.errors = details.errors ?? [];
    this.operation = details.operation ?? null;
    this.retryAfter = details.retryAfter ?? null;
    this.challenge = details.challenge ?? null;
    this.id = details.id ?? null;
  }
}

/** Returns true if `error` is a `BaobabError`, with one of the given codes if there are any. */
export function isBaobabError<C extends ErrorCode = ErrorCode>(error: unknown, ...codes: C[]): error is BaobabError<C> {
  // Compares the name, not the class: an app may load two copies of this module.
  if (!(error instanceof Error) || error.name !== 'BaobabError' || !('code' in error)) return false;
  return codes.length === 0 || codes.some((code) => code === error.code);
}
