import type { PushOutcome } from '@baobab/core';

export const refusedService = (reason: string): PushOutcome => ({ kind: 'refused', of: 'service', reason });
export const refusedNotification = (reason: string): PushOutcome => ({ kind: 'refused', of: 'notification', reason });
export const retry = (reason: string, after: number | null = null): PushOutcome => ({ kind: 'retry', reason, after });

/** `Retry-After` (RFC 9110, section 10.2.3), seconds or a date, as milliseconds from now on; null when it is none. */
export function retryAfter(header: unknown, now: number): number | null {
  const value = typeof header === 'string' ? header.trim() : '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = value === '' ? Number.NaN : Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

const MAX_REASON_LENGTH = 200;

/** What a failure is called where people read it: one line, not too long. */
function reasonOf(error: unknown): string {
  const { code, message } =
    error instanceof Error ? (error as Error & { code?: unknown }) : { code: null, message: '' };
  const named = typeof code === 'string' && !message.includes(code) ? `${code} ${message}` : message;
  return named.replace(/\s+/g, ' ').slice(0, MAX_REASON_LENGTH) || 'it failed';
}

/** The members of a JSON object; none when the text is something else. */
export function members(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // proxies and captive portals answer with anything
  }
}

/** What signs us in cannot be used, or is not accepted: trying again changes nothing. The message goes to people. */
export class CredentialsRefused extends Error {}

/** Whether a notification is wanted could not be found out: that is no failure of the push service. */
class NotAsked extends Error {}

export function notAsked(cause: unknown): never {
  throw new NotAsked('not asked', { cause });
}

/** What comes of a notification that came to no answer. @throws what `isWanted` rejected with */
export function outcomeWithoutAnswer(error: unknown): PushOutcome {
  if (error instanceof NotAsked) throw error.cause;
  return error instanceof CredentialsRefused ? refusedService(error.message) : retry(reasonOf(error));
}

/** Remembers under which settings the push service has taken a notification last: so these are right. */
export function createProof<Config>() {
  let proven = '';
  return {
    delivered(config: Config): PushOutcome {
      proven = JSON.stringify(config);
      return { kind: 'delivered' };
    },
    /** There is no such device, unless the settings are wrong. */
    unknownDevice(config: Config, reason: string): PushOutcome {
      const isProven = proven === JSON.stringify(config);
      return isProven ? { kind: 'dead', reason, since: null } : refusedNotification(reason);
    },
  };
}
