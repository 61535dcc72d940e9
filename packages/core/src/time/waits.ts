import type { Clock } from '../ports/clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Returns the time of the steady clock, for intervals within a process. In milliseconds. */
export const steadyTime = (clock: Clock): number => clock.steady?.() ?? clock.now();

/** Difference up to which two times agree, in milliseconds. Covers corrections by NTP, and skew between nodes. */
export const TIME_TOLERANCE_MS = 5 * MINUTE;

/** At least the longest time from now until a mail or a delivery is due again, in milliseconds. */
export const LONGEST_WAITS = { mail: 10 * MINUTE, push: HOUR, webhook: 8 * HOUR } as const;
/** Maximum lifetime of links and codes sent by mail, in milliseconds. The setting `email.expiration.time` has the same. */
export const LONGEST_LINK_MS = 7 * 24 * HOUR;

/** Returns the latest possible end of something that has this length and has begun, in milliseconds. */
export const latestEnd = (now: number, length: number): number => now + length + TIME_TOLERANCE_MS;

/**
 * Returns true while something that ends at `until` lasts. If it would last longer than its length, it began while the
 * clock was fast, and is over.
 */
export const lasts = (until: number, now: number, length: number): boolean =>
  until > now && until <= latestEnd(now, length);
