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
function textOf(date: string, format: Intl.DateTimeFormat): string {
  const time = new Date(date.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  return Number.isNaN(time.getTime()) ? date : format.format(time);
}

/** Creates the formats of dates and numbers for a language. */
export function createFormat(tag: string) {
  const number = new Intl.NumberFormat(tag);
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
  const times = new Intl.DateTimeFormat(tag, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' });

  return {
    numberText: (value: number): string => number.format(value),
    bytesText(bytes: number): string {
      let amount = bytes;
      let unit = 0;
      for (; amount >= STEP && unit < UNITS.length - 1; unit++) amount /= STEP;
      return `${unit === 0 ? number.format(amount) : decimal.format(amount)} ${UNITS[unit]}`;
    },
    dateText: (date: string): string => textOf(date, dates),
    /** Returns the hours and minutes of a date. */
    timeText: (date: string): string => textOf(date, times),
  };
}

export const { numberText, bytesText, dateText, timeText } = createFormat(locale);
