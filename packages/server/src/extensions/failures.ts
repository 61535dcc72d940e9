import { isBaobabError } from '@baobab/client';
import { AppError, type Logger } from '@baobab/core';
import { within } from '@baobab/http';

/** Part of the program that runs a function of an extension. */
export interface Ran {
  /** Name of the extension. */
  readonly extension: string;
  /** Function, such as `POST /ext/close-task/:id`. */
  readonly part: string;
  /** Id of the request in the log; null outside of requests. */
  readonly requestId: string | null;
}

const boundTo = ({ requestId, ...where }: Ran) => ({ ...where, ...(requestId !== null && { reqId: requestId }) });

const isRefusal = (error: unknown): error is Error & { readonly code: string; readonly status: number } =>
  error instanceof Error && error.name === 'BaobabRefusal';

/** Maximum length of an error's message in the log and in the outcome of a handler, in characters. */
const MAX_MESSAGE = 1_024;

/** Returns the beginning of the message of anything that was thrown, also of values that cannot be text. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error).slice(0, MAX_MESSAGE);
  } catch {
    return 'a value without a text was thrown';
  }
}

/** Returns an error to log: with a long message, one that has only its beginning. */
function shortened(error: unknown): unknown {
  const message = messageOf(error);
  if (message.length < MAX_MESSAGE) return error;
  const stack = error instanceof Error ? error.stack?.replace(error.message, () => message) : undefined;
  return Object.assign(new Error(message), stack !== undefined && { stack });
}

/** Logs an error of an extension that no caller can fix. */
export function logFailure(error: unknown, ran: Ran, logger: Logger): void {
  const isLate = error instanceof AppError && error.code === 'extension.timeout';
  logger.error(
    { ...(!isLate && { err: shortened(error) }), ...boundTo(ran) },
    isLate ? 'extension took too long' : 'extension failed',
  );
}

/**
 * Converts an error of an extension to the failure of the call. Refusals are passed on. All others are logged, and their
 * text is not shown.
 */
export function failureOf(error: unknown, ran: Ran, logger: Logger): AppError {
  if (isRefusal(error)) {
    const { message, code, status } = error;
    return new AppError('extension.refused', { refusal: { message, code, status } });
  }
  logFailure(error, ran, logger);
  return error instanceof AppError ? error : new AppError('extension.failed', { cause: error });
}

/** Converts an error of a route like `failureOf`, but also passes on failures of its own calls that the caller can fix. */
export function routeFailureOf(error: unknown, ran: Ran, logger: Logger): AppError {
  if (!isBaobabError(error) || error.status < 400 || error.status > 499) return failureOf(error, ran, logger);
  const { message, code, status } = error;
  return new AppError('extension.refused', { cause: error, refusal: { message, code, status } });
}

/** @throws `extension.timeout` if `work` takes longer than `milliseconds` */
export const inTime = <T>(milliseconds: number, work: () => T | Promise<T>): Promise<T> =>
  within<T>(milliseconds, Promise.resolve().then(work), async () => {
    throw new AppError('extension.timeout');
  });
