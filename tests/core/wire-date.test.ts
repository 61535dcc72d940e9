import { wireDate } from '@baobab/core';
import { describe, expect, it } from 'vitest';

const DAY_MS = 86_400_000;
const FIRST = Date.UTC(0, 0, 1) - 1900 * 365.2425 * DAY_MS;
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const expected = (milliseconds: number) => new Date(milliseconds).toISOString().replace('Z', '+0000');

describe('a time in the format of the interface', () => {
  it('has the offset without a colon', () => {
    expect(wireDate(Date.UTC(2014, 0, 31, 9, 12, 3, 512))).toBe('2014-01-31T09:12:03.512+0000');
  });

  it.each([0, -1, 1, DAY_MS - 1, DAY_MS, -DAY_MS, Date.UTC(2024, 1, 29, 23, 59, 59, 999), LAST])(
    'is right at %d milliseconds',
    (milliseconds) => {
      expect(wireDate(milliseconds)).toBe(expected(milliseconds));
    },
  );

  it('is right for times of many days in any order', () => {
    for (let i = 0; i < 20_000; i++) {
      const milliseconds = Math.floor(FIRST + ((i * 7919) % 20_000) * ((LAST - FIRST) / 20_000));
      expect(wireDate(milliseconds)).toBe(expected(milliseconds));
      expect(wireDate(milliseconds + (i % 2))).toBe(expected(milliseconds + (i % 2)));
    }
  });
});
