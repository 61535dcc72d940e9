import type { PushOutcome } from '@baobab/core';

export const refusedService = (reason: string): PushOutcome => ({ kind: 'refused', of: 'service', reason });
/** Added to refusals of signed credentials, which contain the time. */
export const OR_CLOCK = '; is the clock of this machine right?';
export const refusedNotification = (reason: string): PushOutcome => ({ kind: 'refused', of: 'notification', reason });
export const retry = (reason: string, after: number | null = null): PushOutcome => ({ kind: 'retry', reason, after });

/**
 * Parses `Retry-After` (RFC 9110, section 10.2.3), seconds or a date, to milliseconds from now. Null if it is invalid
 * or missing.
 */
export function retryAfter(header: unknown, now: number): number | null {
  const value = typeof header === 'string' ? header.trim() : '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = value === '' ? Number.NaN : Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

const MAX_REASON_LENGTH = 200;

/** Describes an error for people in one short line. */
function reasonOf(error: unknown): string {
  const { code, message } =
    error instanceof Error ? (error as Error & { code?: unknown }) : { code: null, message: '' };
  const named = typeof code === 'string' && !message.includes(code) ? `${code} ${message}` : message;
  return named.replace(/\s+/g, ' ').slice(0, MAX_REASON_LENGTH) || 'unknown error';
}

/** Returns the members of a JSON object; empty for other text. */
export function members(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // proxies and captive portals may respond with anything
  }
}

/** Our credentials are unusable or refused, so a retry would not help. The message is shown to people. */
export class CredentialsRefused extends Error {}

/** Failure of `isWanted`, as opposed to the push service. */
class NotAsked extends Error {}

export function notAsked(cause: unknown): never {
  throw new NotAsked('not asked', { cause });
}

/** Returns the outcome of a notification without a response. @throws the error of `isWanted`, if that failed */
export function outcomeWithoutAnswer(error: unknown): PushOutcome {
  if (error instanceof NotAsked) throw error.cause;
  return error instanceof CredentialsRefused ? refusedService(error.message) : retry(reasonOf(error));
}

/**
 * Remembers the settings with which the push service last accepted a notification, which proves that they are correct.
 */
export function createProof<Config>() {
  let proven = '';
  return {
    delivered(config: Config): PushOutcome {
      proven = JSON.stringify(config);
      return { kind: 'delivered' };
    },
    /** Returns the outcome for an unknown device: it is dead only if the settings are proven correct. */
    unknownDevice(config: Config, reason: string): PushOutcome {
      const isProven = proven === JSON.stringify(config);
      return isProven ? { kind: 'dead', reason, since: null } : refusedNotification(reason);
    },
  };
}
