import type { PushOutcome } from '@baobab/core';
import { members, OR_CLOCK, refusedNotification, refusedService, retry, retryAfter } from '../push-outcomes.ts';
import type { ApnsAnswer } from './connection.ts';

/**
 * An answer other than 200:
 * https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns
 */
export interface ApnsFailure {
  readonly status: number;
  readonly retryAfter: unknown;
  /** Apple's reason, or the status. */
  readonly reason: string;
  /** Whether the reason is from Apple: a proxy may have answered instead. */
  readonly isApples: boolean;
  /** Since when the device token has been invalid, in milliseconds; null when unknown. */
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

/** An invalid device token, or one of the other environment or another app: the settings may be wrong instead. */
const DOUBTFUL = new Set(['BadDeviceToken', 'DeviceTokenNotForTopic']);

export const isAmbiguous = ({ status, reason }: ApnsFailure) => status === 400 && DOUBTFUL.has(reason);

/** Errors that wrong settings cause, besides every 403. */
const OF_SETTINGS = new Set(['BadTopic', 'MissingTopic', 'TopicDisallowed', 'BadPath', 'MethodNotAllowed']);

/** Errors that a wrong clock causes: the token contains the time at which it was signed. */
const OF_CLOCK = new Set(['ExpiredProviderToken', 'InvalidProviderToken']);

/** The outcome of a failure that does not put the device in doubt. */
export function failureOutcome(failure: ApnsFailure, now: number): PushOutcome {
  const { status, reason, isApples, since } = failure;
  if (status === 429 || status >= 500) return retry(reason, retryAfter(failure.retryAfter, now));
  if (!isApples) return retry(reason);
  if (status === 410) return { kind: 'dead', reason, since };
  if (OF_CLOCK.has(reason)) return refusedService(reason + OR_CLOCK);
  return status === 403 || OF_SETTINGS.has(reason) ? refusedService(reason) : refusedNotification(reason);
}
