import type { ServiceErrorCode } from './error-codes.ts';

/** Failures that the client itself detects: no answer arrived, or none that can be read. */
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
  | 'client.reference_lost'
  | 'client.store_full'
  | 'client.store_newer'
  | 'client.store_unavailable';

export type ErrorCode = ServiceErrorCode | ClientErrorCode;

export interface InputProblem {
  /** A JSON Pointer into the body, or `query.<name>`, `path.<name>`, `header.<name>`. */
  readonly path: string;
  readonly message: string;
  /** In a batch: the index of the operation, from 0. */
  readonly operation?: number;
}

export interface BaobabErrorDetails {
  /** The HTTP status; 0 without an answer. */
  readonly status?: number;
  readonly errors?: readonly InputProblem[];
  readonly operation?: number | null;
  readonly retryAfter?: number | null;
  readonly challenge?: string | null;
  readonly cause?: unknown;
}

/** Every failure of a call. `code` tells failures apart; it stays the same from release to release. */
export class BaobabError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'BaobabError';
  readonly code: C;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  /** What was wrong with the input; empty for other failures. */
  readonly errors: readonly InputProblem[];
  /** In a batch: the index of the operation that failed, from 0. */
  readonly operation: number | null;
  /** Seconds after which to try again, where the service says so. */
  readonly retryAfter: number | null;
  /** With `auth.second_factor_required`: what `auth.loginSecond` needs. */
  readonly challenge: string | null;

  constructor(code: C, message: string, details: BaobabErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? 0;
    this.errors = details.errors ?? [];
    this.operation = details.operation ?? null;
    this.retryAfter = details.retryAfter ?? null;
    this.challenge = details.challenge ?? null;
  }
}

/** Whether `error` is a failure of a call, with one of these codes if any are given. */
export function isBaobabError<C extends ErrorCode = ErrorCode>(error: unknown, ...codes: C[]): error is BaobabError<C> {
  // Not by class: an app may load two copies of this module.
  if (!(error instanceof Error) || error.name !== 'BaobabError' || !('code' in error)) return false;
  return codes.length === 0 || codes.some((code) => code === error.code);
}
