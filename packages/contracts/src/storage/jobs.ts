import type { Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { NOW } from './fixtures.ts';

export function jobsContract(current: () => Storage): void {
  const claim = (holder: string, now: number, until: number, name = 'sweep') =>
    current().jobs.claim({ name, holder }, now, until);
  const finish = (holder: string, due: number) => current().jobs.finish({ name: 'sweep', holder }, due);

  it('are claimed by exactly one of many concurrent calls, also the first time', async () => {
    for (const now of [NOW, NOW + 100]) {
      const claims = Array.from({ length: 50 }, (_, i) => claim(`node ${i}`, now, now + 100));
      expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
    }
  });

  it('are due again at the time given to `finish`, and not before', async () => {
    expect(await claim('a', NOW, NOW + 1_000)).toBe(true);
    expect(await finish('a', NOW + 10)).toBe(true);
    expect(await claim('b', NOW + 9, NOW + 1_000)).toBe(false);
    expect(await claim('b', NOW + 10, NOW + 1_000)).toBe(true);
    expect(await claim('c', NOW + 10, NOW + 1_000, 'another one')).toBe(true);
  });

  it('can be planned before their first run, once', async () => {
    expect(await current().jobs.due('nightly')).toBe(null);
    await current().jobs.plan('nightly', NOW + 10);
    await current().jobs.plan('nightly', NOW + 20);
    expect(await current().jobs.due('nightly')).toBe(NOW + 10);
    expect(await claim('a', NOW + 9, NOW + 100, 'nightly')).toBe(false);
    expect(await claim('a', NOW + 10, NOW + 100, 'nightly')).toBe(true);
    expect(await current().jobs.due('nightly')).toBe(NOW + 100);
  });

  it('keep their lease while the holder extends it', async () => {
    const extend = (holder: string, until: number) => current().jobs.extend({ name: 'sweep', holder }, until);
    expect(await extend('a', NOW)).toBe(false);
    expect(await claim('a', NOW, NOW + 100)).toBe(true);
    expect(await extend('b', NOW + 500)).toBe(false);
    expect(await extend('a', NOW + 200)).toBe(true);
    expect(await claim('b', NOW + 199, NOW + 300)).toBe(false);
    expect(await claim('b', NOW + 200, NOW + 300)).toBe(true);
    expect(await extend('a', NOW + 400)).toBe(false);
  });

  it('are claimed by another holder after the lease, and a late `finish` does not count', async () => {
    expect(await claim('a', NOW, NOW + 100)).toBe(true);
    expect(await claim('b', NOW + 99, NOW + 199)).toBe(false);
    expect(await claim('b', NOW + 100, NOW + 200)).toBe(true);
    expect(await finish('a', NOW + 101)).toBe(false);
    expect(await claim('c', NOW + 150, NOW + 300)).toBe(false);
    expect(await finish('b', NOW + 500)).toBe(true);
    expect(await finish('b', NOW + 600)).toBe(false);
    expect(await claim('c', NOW + 499, NOW + 600)).toBe(false);
  });
}
