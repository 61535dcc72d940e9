const two = (n: number) => (n < 10 ? `0${n}` : `${n}`);
const three = (n: number) => (n < 100 ? `0${two(n)}` : `${n}`);
const four = (n: number) => (n < 1000 ? `0${three(n)}` : `${n}`);

/**
 * A time in the format of the interface: `2014-01-31T09:12:03.512+0000`. Built from its parts because `toISOString` is
 * several times slower, and a list of 20 documents contains 40 times.
 *
 * @param milliseconds within the years 0 to 9999
 */
export function wireDate(milliseconds: number): string {
  const time = new Date(milliseconds);
  const day = `${four(time.getUTCFullYear())}-${two(time.getUTCMonth() + 1)}-${two(time.getUTCDate())}`;
  const clock = `${two(time.getUTCHours())}:${two(time.getUTCMinutes())}:${two(time.getUTCSeconds())}`;
  return `${day}T${clock}.${three(time.getUTCMilliseconds())}+0000`;
}
