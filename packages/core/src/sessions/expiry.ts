import type { SessionTerms } from '../ports/storage/sessions.ts';
import type { SettingValues } from '../settings/catalogue.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** How often in a timeout the last use is recorded, at most: the record is late by 1/30 of the timeout. */
const RECORDS_PER_TIMEOUT = 30;

/** What `hasEnded` needs to know of a session. */
export interface TimedSession extends SessionTerms {
  /** Milliseconds. */
  readonly lastUsed: number;
}

/** How long guests are kept after their last visit, milliseconds; 0 = for ever. */
export const guestTimeoutOf = (values: SettingValues) => values['guests.expire.days'] * DAY;

/**
 * How long a session lasts without use, milliseconds; 0 = for ever. That of a guest lasts as long as the guest, who could
 * not log in again.
 */
export const timeoutOf = (values: SettingValues, guest = false) =>
  guest ? guestTimeoutOf(values) : values['session_tokens.timeout'] * MINUTE;

/** How long a session lasts after the login, milliseconds; 0 = for ever. */
export const lifetimeOf = (values: SettingValues) => values['session_tokens.lifetime'] * MINUTE;

/**
 * For how long after its recorded last use a session may have been in use, milliseconds. The record may lag behind by one
 * interval: this is allowed for, so that a session in use never expires.
 */
export const lasting = (timeout: number) => timeout + timeout / RECORDS_PER_TIMEOUT;

/** Whether a session has ended: for lack of use or, except for guests, because its lifetime is over. */
export function hasEnded({ lastUsed, loggedIn, guest }: TimedSession, now: number, values: SettingValues): boolean {
  const timeout = timeoutOf(values, guest);
  if (timeout > 0 && now - lastUsed > lasting(timeout)) return true;
  const lifetime = lifetimeOf(values);
  return lifetime > 0 && !guest && now - loggedIn >= lifetime;
}

/** Without expiry the last use is recorded once a minute, for the list of sessions that users see. Milliseconds. */
const RECORD_INTERVAL_WITHOUT_EXPIRY = 60_000;

export function isRecordDue(lastUsed: number, now: number, timeout: number): boolean {
  return now - lastUsed >= (timeout > 0 ? timeout / RECORDS_PER_TIMEOUT : RECORD_INTERVAL_WITHOUT_EXPIRY);
}
