const LONGEST_CELL = 80;
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
const STEP = 1000;

const cut = (text: string) => (text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text);

/** A value of a document as the text of a cell. */
export function cellText(value: unknown): string {
  if (value === undefined) return '';
  return cut(typeof value === 'string' ? value : JSON.stringify(value));
}

export function bytesText(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  for (; amount >= STEP && unit < UNITS.length - 1; unit++) amount /= STEP;
  return `${unit === 0 ? amount : amount.toFixed(1)} ${UNITS[unit]}`;
}

/** Dates of the service have an offset without a colon (`+0000`), which not every browser reads. */
const isoText = (date: string): string | null => {
  const time = new Date(date.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
};

export const dateText = (date: string): string => isoText(date)?.replace('T', ' ').replace(/\..*$/, ' UTC') ?? date;

/** The hours and minutes of a date, in UTC. */
export const timeText = (date: string): string => isoText(date)?.slice(11, 16) ?? date;
