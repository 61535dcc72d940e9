import { describe, expect, it } from 'vitest';
import { parseCron } from '../../packages/server/src/extensions/cron.ts';

const at = (text: string) => Date.parse(`${text}Z`);
const shown = (time: number) => new Date(time).toISOString().slice(0, 16);

describe('cron expressions', () => {
  it.each([
    ['0 3 * * *', '2026-01-31T03:00', '2026-02-01T03:00'],
    ['* * * * *', '2026-01-31T09:12', '2026-01-31T09:13'],
    ['*/15 * * * *', '2026-01-31T09:12', '2026-01-31T09:15'],
    ['5,10 8-10 * * *', '2026-01-31T09:12', '2026-01-31T10:05'],
    ['0 0 1 * *', '2026-01-31T09:12', '2026-02-01T00:00'],
    ['0 12 * * 1-5', '2026-01-31T09:12', '2026-02-02T12:00'],
    ['0 12 * * 7', '2026-01-31T09:12', '2026-02-01T12:00'],
    ['0 0 29 2 *', '2026-01-31T09:12', '2028-02-29T00:00'],
    ['0 0 13 * 5', '2026-02-06T00:00', '2026-02-13T00:00'],
    ['0 0 13 * 5', '2026-02-01T00:00', '2026-02-06T00:00'],
    ['59 23 31 12 *', '2026-12-31T23:59', '2027-12-31T23:59'],
    ['10/20 * * * *', '2026-01-31T09:12', '2026-01-31T09:30'],
  ])('%s follows %s with %s', (text, from, next) => {
    const cron = parseCron(text);
    expect(shown(cron.next(at(from)))).toBe(next);
    expect(shown(cron.last(at(next)))).toBe(next);
    expect(shown(cron.last(at(next) + 59_999))).toBe(next);
    // Nothing lies between the two.
    expect(cron.next(cron.last(at(next) - 1))).toBe(at(next));
  });

  it.each([
    '',
    '* * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    'a * * * *',
    '5-1 * * * *',
    '*/0 * * * *',
    '0 0 31 2 *',
    '1, * * * *',
  ])('refuses %j', (text) => {
    expect(() => parseCron(text)).toThrow(/is not a valid|fields instead of 5|never occurs/);
  });
});
