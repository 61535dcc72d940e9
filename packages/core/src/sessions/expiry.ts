/** The last use is recorded when this fraction of the lifetime has passed since the last record (at least 1/15 is due). */
const RECORDS_PER_LIFETIME = 30;

/**
 * Whether the session has expired for lack of use; times and `timeout` in milliseconds, 0 = never. The recorded last use
 * may lag behind by one recording interval: this is allowed for, so that a session in use never expires.
 */
export function hasExpired(lastUsed: number, now: number, timeout: number): boolean {
  return timeout > 0 && now - lastUsed > timeout + timeout / RECORDS_PER_LIFETIME;
}

/** Without expiry the last use is recorded once a minute, for the list of sessions that users see. Milliseconds. */
const RECORD_INTERVAL_WITHOUT_EXPIRY = 60_000;

export function isRecordDue(lastUsed: number, now: number, timeout: number): boolean {
  return now - lastUsed >= (timeout > 0 ? timeout / RECORDS_PER_LIFETIME : RECORD_INTERVAL_WITHOUT_EXPIRY);
}
