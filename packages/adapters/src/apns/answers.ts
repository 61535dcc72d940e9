import type { PushOutcome } from '@baobab/core';
import { members, OR_CLOCK, refusedNotification, refusedService, retry, retryAfter } from '../push-outcomes.ts';
import type { ApnsAnswer } from './connection.ts';

/**
 * Response with a status other than 200:
 * https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns
 */
export interface ApnsFailure {
  readonly status: number;
  readonly retryAfter: unknown;
  /** Apple's reason, or the status. */
  readonly reason: string;
  /** True if the reason is from Apple: a proxy may have answered instead. */
  readonly isApples: boolean;
  /** Time since which the device token has been invalid, in milliseconds since 1970; null if unknown. */
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

/**
 * Reasons for an invalid device token, or one of the other environment or another app: the settings may be wrong
 * instead.
 */
const DOUBTFUL = new Set(['BadDeviceToken', 'DeviceTokenNotForTopic']);

export const isAmbiguous = ({ status, reason }: ApnsFailure) => status === 400 && DOUBTFUL.has(reason);

/** Errors caused by wrong settings, in addition to every 403. */
const OF_SETTINGS = new Set(['BadTopic', 'MissingTopic', 'TopicDisallowed', 'BadPath', 'MethodNotAllowed']);

/** Errors caused by a wrong clock: the token contains its signing time. */
const OF_CLOCK = new Set(['ExpiredProviderToken', 'InvalidProviderToken']);

/** Returns the outcome of a failure that does not cast doubt on the device. */
export function failureOutcome(failure: ApnsFailure, now: number): PushOutcome {
  const { status, reason, isApples, since } = failure;
  if (status === 429 || status >= 500) return retry(reason, retryAfter(failure.retryAfter, now));
  if (!isApples) return retry(reason);
  if (status === 410) return { kind: 'dead', reason, since };
  if (OF_CLOCK.has(reason)) return refusedService(reason + OR_CLOCK);
  return status === 403 || OF_SETTINGS.has(reason) ? refusedService(reason) : refusedNotification(reason);
}
