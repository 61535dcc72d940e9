import { dateOf } from '@baobab/client';
import { wireDate } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import openapi from '../../docs/openapi.json' with { type: 'json' };

describe('a date of the service', () => {
  it.each([0, Date.UTC(2014, 0, 31, 9, 12, 3, 512), Date.UTC(2036, 1, 29, 23, 59, 59, 999)])('is read: %s', (time) => {
    expect(dateOf(wireDate(time)).getTime()).toBe(time);
  });

  it('is read with another offset, and where the engine only knows RFC 3339', () => {
    expect(dateOf('2014-01-31T11:12:03.512+0200').toISOString()).toBe('2014-01-31T09:12:03.512Z');
    expect(dateOf('2014-01-31T09:12:03Z').toISOString()).toBe('2014-01-31T09:12:03.000Z');
    expect(dateOf('yesterday').getTime()).toBeNaN();
  });

  it('is nowhere said to have the format of RFC 3339', () => {
    expect(JSON.stringify(openapi)).not.toContain('"format":"date-time"');
    const pattern = String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$`;
    expect(JSON.stringify(openapi)).toContain(JSON.stringify({ type: 'string', pattern }).slice(1, -1));
    expect(wireDate(Date.now())).toMatch(new RegExp(pattern));
    expect(new Date().toISOString()).not.toMatch(new RegExp(pattern));
  });
});
