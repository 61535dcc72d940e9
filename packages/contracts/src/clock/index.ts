import type { Clock } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';

/** Contract of every clock. */
export function clockContract(name: string, clock: Clock): void {
  describe(`clock contract: ${name}`, PATIENT, () => {
    it('gives whole milliseconds since 1970', () => {
      const [before, now, after] = [Date.now(), clock.now(), Date.now()];
      expect(Number.isSafeInteger(now)).toBe(true);
      expect(now).toBeGreaterThanOrEqual(before);
      expect(now).toBeLessThanOrEqual(after);
    });

    it('has a steady time that advances with the time, if it has one', async () => {
      const { now, steady = now } = clock;
      const [began, steadyBegan] = [now(), steady()];
      await expect.poll(() => steady() - steadyBegan).toBeGreaterThan(100);
      expect(Math.abs(now() - began - (steady() - steadyBegan))).toBeLessThan(1_000);
    });

    it('works when `now` is called without its object', () => {
      const { now } = clock;
      expect(now()).toBeGreaterThan(Date.UTC(2020));
    });
  });
}
