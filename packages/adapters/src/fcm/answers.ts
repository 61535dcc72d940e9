import type { PushOutcome } from '@baobab/core';
import { members, refusedNotification, refusedService, retry, retryAfter } from '../push-outcomes.ts';
import type { PostAnswer } from './poster.ts';

/** Error that FCM reported, as far as it is documented. */
export interface FcmFailure {
  /**
   * As in https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode; otherwise the status of the API; otherwise
   * null.
   */
  readonly code: string | null;
  /** True if the error concerns the device token. */
  readonly isToken: boolean;
}

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';

export function readFailure(text: string): FcmFailure {
  const { error } = members(text);
  const { status, details, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<
    string,
    unknown
  >;
  const found = (Array.isArray(details) ? details : []) as Array<Record<string, unknown> | null>;
  const code = found.find((one) => one?.['@type'] === FCM_ERROR)?.errorCode ?? status;
  const fields = found.flatMap((one) => (Array.isArray(one?.fieldViolations) ? one.fieldViolations : []));
  const isToken =
    fields.some((violation: { field?: unknown } | null) => violation?.field === 'message.token') ||
    (typeof message === 'string' && /registration token/i.test(message));
  return { code: typeof code === 'string' ? code : null, isToken };
}

/** True for an invalid device token, or one of another project: the settings may be wrong instead. */
export function isAmbiguous(status: number, { code, isToken }: FcmFailure): boolean {
  return code === 'SENDER_ID_MISMATCH' || (status === 400 && code === 'INVALID_ARGUMENT' && isToken);
}

/** Returns the outcome of a failure that does not cast doubt on the device. */
export function failureOutcome({ status, headers }: PostAnswer, { code }: FcmFailure, now: number): PushOutcome {
  const reason = code ?? `status ${status}`;
  if (code === 'UNREGISTERED') return { kind: 'dead', reason, since: null };
  if (status === 429 || status >= 500) return retry(reason, retryAfter(headers['retry-after'], now));
  if (code === null) return retry(reason); // not from FCM: a proxy may be in between
  if (code === 'INVALID_ARGUMENT') return refusedNotification(reason);
  return refusedService(reason);
}
