/** The numbers from 0 to 99, with two digits each. */
const TWO = Array.from({ length: 100 }, (_, n) => `${n < 10 ? '0' : ''}${n}`);

/**
 * A time in the format of the interface: `2014-01-31T09:12:03.512+0000`. Built from its parts because `toISOString` is
 * several times slower, and a list of 20 documents contains 40 times.
 *
 * @param milliseconds within the years 0 to 9999
 */
export function wireDate(milliseconds: number): string {
  const time = new Date(milliseconds);
  const year = time.getUTCFullYear();
  const century = Math.floor(year / 100);
  const milli = time.getUTCMilliseconds();
  const day = `${TWO[century]}${TWO[year % 100]}-${TWO[time.getUTCMonth() + 1]}-${TWO[time.getUTCDate()]}`;
  const clock = `${TWO[time.getUTCHours()]}:${TWO[time.getUTCMinutes()]}:${TWO[time.getUTCSeconds()]}`;
  return `${day}T${clock}.${milli < 100 ? '0' : ''}${milli < 100 ? TWO[milli] : milli}+0000`;
}
