import type { PushOutcome } from '@baobab/core';
import { members, refusedNotification, refusedService, retry, retryAfter } from '../push-outcomes.ts';
import type { ApnsAnswer } from './connection.ts';

/** An answer other than 200: https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns */
export interface ApnsFailure {
  readonly status: number;
  readonly retryAfter: unknown;
  /** Apple's word for it, or the status. */
  readonly reason: string;
  /** Whether Apple said it: something else may stand between us. */
  readonly isApples: boolean;
  /** Since when there is no such device, milliseconds. */
  readonly since: number | null;
}

export function readFailure({ status, headers, text }: ApnsAnswer): ApnsFailure {
  const { reason, timestamp } = members(text);
  const isApples = typeof reason === 'string';
  return {
    status,
    retryAfter: headers['retry-after'],
    reason: isApples ? reason : `status ${status}`,
    isApples,
    since: typeof timestamp === 'number' ? timestamp : null,
  };
}

/** No device of ours, or one of the other environment or another app: the settings decide which. */
const DOUBTFUL = new Set(['BadDeviceToken', 'DeviceTokenNotForTopic']);

export const isAmbiguous = ({ status, reason }: ApnsFailure) => status === 400 && DOUBTFUL.has(reason);

/** What the settings are wrong in; all of 403 is such. */
const OF_SETTINGS = new Set(['BadTopic', 'MissingTopic', 'TopicDisallowed', 'BadPath', 'MethodNotAllowed']);

/** What a failure means, when the device is not in doubt. */
export function failureOutcome(failure: ApnsFailure, now: number): PushOutcome {
  const { status, reason, isApples, since } = failure;
  if (status === 429 || status >= 500) return retry(reason, retryAfter(failure.retryAfter, now));
  if (!isApples) return retry(reason);
  if (status === 410) return { kind: 'dead', reason, since };
  return status === 403 || OF_SETTINGS.has(reason) ? refusedService(reason) : refusedNotification(reason);
}
