const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A date that does not occur in this time never occurs, in milliseconds: 29 February is skipped in 2100. */
const HORIZON_MS = 9 * 366 * DAY;

const FIELDS = [
  { name: 'minute', first: 0, last: 59 },
  { name: 'hour', first: 0, last: 23 },
  { name: 'day of the month', first: 1, last: 31 },
  { name: 'month', first: 1, last: 12 },
  { name: 'day of the week', first: 0, last: 7 },
] as const;

type Field = (typeof FIELDS)[number];

/** Times in UTC. */
export interface Cron {
  /** Returns the first time after `time`, in milliseconds. */
  next(time: number): number;
  /** Returns the last time until `time`, in milliseconds. */
  last(time: number): number;
}

function rangeOf(text: string, { name, first, last }: Field): number[] {
  const [, from, to, step] = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(text) ?? [];
  const begin = from === undefined ? first : Number(from);
  const end = to === undefined ? (from === undefined || step !== undefined ? last : begin) : Number(to);
  const by = step === undefined ? 1 : Number(step);
  const isValid = /^[\d*]/.test(text) && /^(?:\*|\d{1,2}(?:-\d{1,2})?)(?:\/\d{1,2})?$/.test(text);
  if (!isValid || begin < first || end > last || begin > end || by < 1) {
    throw new Error(`"${text}" is not a valid ${name}: numbers from ${first} to ${last}, "*", "1-5", "*/15" or "1,2"`);
  }
  return Array.from({ length: Math.floor((end - begin) / by) + 1 }, (_, at) => begin + at * by);
}

/**
 * Parses a cron expression of five fields: minute, hour, day of the month, month, day of the week (0 and 7 are Sunday).
 * If both days are restricted, one of them has to match. @throws `Error`
 */
export function parseCron(text: string): Cron {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) {
    throw new Error(`"${text}" has ${parts.length} fields instead of 5: minute, hour, day, month, day of the week`);
  }
  const sets = FIELDS.map((field, at) => new Set((parts[at] ?? '').split(',').flatMap((one) => rangeOf(one, field))));
  const [minutes, hours, days, months, weekdays] = sets as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ];
  if (weekdays.has(7)) weekdays.add(0);
  const isAny = (at: number) => parts[at]?.startsWith('*') === true;

  function isDay(date: Date): boolean {
    if (!months.has(date.getUTCMonth() + 1)) return false;
    const [inMonth, inWeek] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
    return isAny(2) || isAny(4) ? inMonth && inWeek : inMonth || inWeek;
  }

  /** Returns the length of the period around a time in which nothing matches; 0 if the time matches. */
  function gapAt(time: number): number {
    const date = new Date(time);
    if (!isDay(date)) return DAY;
    if (!hours.has(date.getUTCHours())) return HOUR;
    return minutes.has(date.getUTCMinutes()) ? 0 : MINUTE;
  }

  function search(from: number, leave: (time: number, gap: number) => number): number {
    for (let time = from; Math.abs(time - from) < HORIZON_MS; ) {
      const gap = gapAt(time);
      if (gap === 0) return time;
      time = leave(time, gap);
    }
    throw new Error(`"${text}" never occurs`);
  }

  const floor = (time: number, unit: number) => Math.floor(time / unit) * unit;
  const cron: Cron = {
    next: (time) => search(floor(time, MINUTE) + MINUTE, (at, gap) => floor(at, gap) + gap),
    last: (time) => search(floor(time, MINUTE), (at, gap) => floor(at, gap) - MINUTE),
  };
  cron.next(0);
  return cron;
}
