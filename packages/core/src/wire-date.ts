import { AppError } from './errors.ts';

/** Numbers from 0 to 99 with two digits each, and from 0 to 999 with three. */
const TWO = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));
const THREE = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'));

const DAY_MS = 86_400_000;

/** Day of the last call as text, up to the `T`. A response usually contains times of only a few days. */
let day = Number.NaN;
let dayText = '';

/**
 * Formats a time for the API: `2014-01-31T09:12:03.512+0000`. Built from its parts because `toISOString` is several
 * times slower, and a list of 20 documents contains 40 times.
 *
 * @param milliseconds within the years 0 to 9999
 */
export function wireDate(milliseconds: number): string {
  const days = Math.floor(milliseconds / DAY_MS);
  if (days !== day) {
    dayText = new Date(milliseconds).toISOString().slice(0, 11);
    day = days;
  }
  const ms = milliseconds - days * DAY_MS;
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const clock = `${TWO[Math.floor(minutes / 60)]}:${TWO[minutes % 60]}:${TWO[seconds % 60]}`;
  return `${dayText}${clock}.${THREE[ms % 1000]}+0000`;
}

/** A date with a time and an offset: as written by the server (`+0000`), or by RFC 3339 (`+00:00`, `Z`). */
const DATE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)$/i;

/**
 * Parses a date sent by a client. Returns milliseconds.
 *
 * @param input name of the input, for the failure
 * @throws `input.invalid`
 */
export function parseDate(text: string, input: string): number {
  const [, moment, offset] = DATE.exec(text) ?? [];
  const time = Date.parse(`${moment}${offset?.replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2')}`);
  if (Number.isNaN(time)) {
    throw new AppError('input.invalid', { detail: 'expected a date such as 2030-01-31T09:12:03.512+0000', input });
  }
  return time;
}

export const wireDateOrNull = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : wireDate(milliseconds);
