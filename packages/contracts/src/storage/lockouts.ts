import type { Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { NOW } from './fixtures.ts';

const WINDOW = 100;
const LATER = NOW + 10;

export function lockoutsContract(current: () => Storage): void {
  const announce = (now = NOW, times = 3, key = 'a') =>
    current().lockouts.announce(key, now, { times, window: WINDOW });
  const excuse = (place: number, now = NOW, later = LATER) => current().lockouts.excuse('a', place, now, later);
  const allowed = async (now = NOW, times = 3) => (await announce(now, times)).isAllowed;

  it('allow as many guesses as they may, by key, and place every guess', async () => {
    for (const place of [1, 2, 3]) expect(await announce()).toMatchObject({ isAllowed: true, place, count: place });
    for (const place of [4, 5]) expect(await announce()).toMatchObject({ isAllowed: false, place, count: 3 });
    expect(await announce(NOW, 3, 'b')).toEqual({ isAllowed: true, place: 1, count: 1, ends: NOW + WINDOW });
  });

  it('last a window from the first guess, and once they are full a window from then on', async () => {
    expect((await announce(NOW)).ends).toBe(NOW + WINDOW);
    expect((await announce(NOW + 50)).ends).toBe(NOW + WINDOW);
    expect((await announce(NOW + 80)).ends).toBe(NOW + 80 + WINDOW);
    expect(await announce(NOW + 80 + WINDOW - 1)).toMatchObject({ isAllowed: false, ends: NOW + 80 + WINDOW });
    expect(await announce(NOW + 80 + WINDOW)).toEqual({
      isAllowed: true,
      place: 1,
      count: 1,
      ends: NOW + 80 + 2 * WINDOW,
    });
  });

  it('may be full with one guess', async () => {
    expect(await announce(NOW, 1)).toEqual({ isAllowed: true, place: 1, count: 1, ends: NOW + WINDOW });
    expect(await allowed(NOW, 1)).toBe(false);
  });

  it('allow exactly as many of 200 concurrent guesses, each with a place of its own', async () => {
    const guesses = await Promise.all(Array.from({ length: 200 }, () => announce(NOW, 10)));
    expect(guesses.filter(({ isAllowed }) => isAllowed)).toHaveLength(10);
    expect(new Set(guesses.map(({ place }) => place)).size).toBe(200);
  });

  it('forget a right guess at once when no other came after it', async () => {
    for (let i = 0; i < 2; i++) await announce();
    const { place } = await announce();
    await excuse(place);
    expect(await announce()).toMatchObject({ isAllowed: true, count: 3 });
    expect(await allowed()).toBe(false);
  });

  it('forget a right guess among others only later, even when the others were refused', async () => {
    const right = await announce();
    for (let i = 0; i < 2; i++) await announce();
    expect(await allowed()).toBe(false);
    await excuse(right.place);
    expect(await allowed(LATER - 1)).toBe(false);
    expect(await announce(LATER)).toMatchObject({ isAllowed: true, count: 3 });
    expect(await allowed(LATER)).toBe(false);
  });

  it('forget each of several right guesses once', async () => {
    for (let i = 0; i < 3; i++) await announce();
    await excuse(1);
    await excuse(2, NOW + 5, LATER + 5);
    expect(await allowed(LATER - 1)).toBe(false);
    expect([await allowed(LATER), await allowed(LATER), await allowed(LATER)]).toEqual([true, true, false]);
    await excuse(4, LATER, LATER + 10); // the previous one is due already and stays removed
    expect([await allowed(LATER + 9), await allowed(LATER + 10), await allowed(LATER + 10)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('are not changed by guesses of a window that has ended', async () => {
    await announce();
    await excuse(1, NOW + WINDOW);
    await current().lockouts.excuse('unknown', 1, NOW, LATER);
    expect(await announce(NOW + WINDOW)).toMatchObject({ count: 1, place: 1 });
  });

  it('are forgotten by key', async () => {
    for (const key of ['a', 'b']) await announce(NOW, 1, key);
    await current().lockouts.forget('a');
    await current().lockouts.forget('unknown');
    expect(await announce(NOW, 1)).toMatchObject({ isAllowed: true, place: 1, count: 1 });
    expect(await announce(NOW, 1, 'b')).toMatchObject({ isAllowed: false });
  });

  it('are removed when they have ended, in batches', async () => {
    for (const [i, key] of ['a', 'b', 'c'].entries()) await announce(NOW + i, 3, key);
    const remove = (limit: number) => current().removeExpired(NOW + 1 + WINDOW, limit);
    expect([await remove(1), await remove(10), await remove(10)]).toEqual([1, 1, 0]);
    expect(await announce(NOW + 50, 3, 'c')).toMatchObject({ count: 2 });
  });
}
