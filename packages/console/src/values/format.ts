import { locale } from '../language.ts';

const LONGEST_CELL = 80;
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
const STEP = 1000;

const cut = (text: string) => (text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text);

/** Formats a value of a document as the text of a cell. */
export function cellText(value: unknown): string {
  if (value === undefined) return '';
  return cut(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Dates of the server have an offset without a colon (`+0000`), which not every browser parses. */
const timeOf = (date: string) => new Date(date.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));

function textOf(date: string, format: Intl.DateTimeFormat): string {
  const time = timeOf(date);
  return Number.isNaN(time.getTime()) ? date : format.format(time);
}

/** Returns true for a date with a time, as the server and most programs write it. */
export const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/.test(text) &&
  !Number.isNaN(timeOf(text).getTime());

/** Units of ages with their lengths in seconds, longest first. */
const AGES = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Creates the formats of dates and numbers for a language. */
export function createFormat(tag: string) {
  const number = new Intl.NumberFormat(tag);
  const short = new Intl.NumberFormat(tag, { maximumSignificantDigits: 3 });
  const lists = new Intl.ListFormat(tag);
  const decimal = new Intl.NumberFormat(tag, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const dates = new Intl.DateTimeFormat(tag, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    // Like the logs of the server.
    timeZone: 'UTC',
    timeZoneName: 'short',
  });
  const ages = new Intl.RelativeTimeFormat(tag, { numeric: 'auto', style: 'short' });
  const times = new Intl.DateTimeFormat(tag, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' });

  return {
    numberText: (value: number): string => number.format(value),
    /** Rounds to three digits, but never whole numbers. */
    shortNumberText: (value: number): string => (Number.isInteger(value) ? number : short).format(value),
    bytesText(bytes: number): string {
      let amount = bytes;
      let unit = 0;
      for (; amount >= STEP && unit < UNITS.length - 1; unit++) amount /= STEP;
      return `${unit === 0 ? number.format(amount) : decimal.format(amount)} ${UNITS[unit]}`;
    },
    /** Returns a list in words, such as `read and update`. */
    listText: (words: readonly string[]): string => lists.format(words),
    dateText: (date: string): string => textOf(date, dates),
    /** Returns how long ago a date was, or how far ahead it is. */
    ageText(date: string, now = Date.now()): string {
      const seconds = (timeOf(date).getTime() - now) / 1_000;
      if (Number.isNaN(seconds)) return date;
      const [unit, length] = AGES.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
      return ages.format(Math.trunc(seconds / length), unit);
    },
    /** Returns the hours and minutes of a date. */
    timeText: (date: string): string => textOf(date, times),
  };
}

export const { numberText, shortNumberText, bytesText, listText, dateText, ageText, timeText } = createFormat(locale);
