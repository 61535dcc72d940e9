import { wireDate } from '../wire.ts';

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?)?$/;

const MINUTE_MS = 60_000;

/** Returns the time of these parts in UTC; NaN if there is no such day or time of day. */
function timeOf(year: number, month: number, day: number, [hour = 0, minute = 0, second = 0]: number[]): number {
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return Number.NaN;
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  time.setUTCHours(hour, minute, second);
  return time.getUTCMonth() === month - 1 && time.getUTCDate() === day ? time.getTime() : Number.NaN;
}

/**
 * Converts a date in ISO 8601 (`2014-01-31`, `2014-01-31T09:12`, with seconds, fraction, `Z` or an offset; UTC without
 * one) to the format of the API; null if it is not one. Digits beyond milliseconds are cut off.
 */
export function parseDate(text: string): string | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, ...clock] = match.slice(1, 7).map((digits) => Number(digits ?? 0));
  const [fraction = '', sign, hours = '0', minutes = '0'] = match.slice(7);
  if (Number(hours) > 23 || Number(minutes) > 59) return null;
  const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS * (sign === '-' ? -1 : 1);
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const time = timeOf(year, month, day, clock) + milliseconds - offset;
  if (Number.isNaN(time)) return null;
  const utc = new Date(time).getUTCFullYear();
  return utc >= 0 && utc <= 9999 ? wireDate(time) : null;
}
