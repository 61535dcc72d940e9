import type { SessionTerms } from '../ports/storage/sessions.ts';
import type { SettingValues } from '../settings/catalogue.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Maximum number of recorded uses per timeout. The record is late by up to 1/30 of the timeout. */
const RECORDS_PER_TIMEOUT = 30;

/** Session data for `hasEnded`. */
export interface TimedSession extends SessionTerms {
  /** In milliseconds. */
  readonly lastUsed: number;
}

/** Returns how long guests are stored after their last visit, in milliseconds; 0 = forever. */
export const guestTimeoutOf = (values: SettingValues) => values['guests.expire.days'] * DAY;

/**
 * Returns how long a session lasts without use, in milliseconds; 0 = forever. A guest's session lasts as long as the
 * guest, who could not log in again.
 */
export const timeoutOf = (values: SettingValues, guest = false) =>
  guest ? guestTimeoutOf(values) : values['session_tokens.timeout'] * MINUTE;

/** Returns how long a session lasts after the login, in milliseconds; 0 = forever. */
export const lifetimeOf = (values: SettingValues) => values['session_tokens.lifetime'] * MINUTE;

/**
 * Returns how long after its recorded last use a session may still be valid, in milliseconds. Adds one recording
 * interval, so that a session in use never expires.
 */
export const lasting = (timeout: number) => timeout + timeout / RECORDS_PER_TIMEOUT;

/** Returns true if a session has ended: for lack of use or, except for guests, because its lifetime is over. */
export function hasEnded({ lastUsed, loggedIn, guest }: TimedSession, now: number, values: SettingValues): boolean {
  const timeout = timeoutOf(values, guest);
  if (timeout > 0 && now - lastUsed > lasting(timeout)) return true;
  const lifetime = lifetimeOf(values);
  return lifetime > 0 && !guest && now - loggedIn >= lifetime;
}

/**
 * Interval of recording the last use if sessions do not expire, for the list of sessions shown to users. In
 * milliseconds.
 */
const RECORD_INTERVAL_WITHOUT_EXPIRY = 60_000;

export function isRecordDue(lastUsed: number, now: number, timeout: number): boolean {
  return now - lastUsed >= (timeout > 0 ? timeout / RECORDS_PER_TIMEOUT : RECORD_INTERVAL_WITHOUT_EXPIRY);
}
