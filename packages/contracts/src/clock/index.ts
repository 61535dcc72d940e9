import type { Clock } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';

/** What tells the time. */
export function clockContract(name: string, clock: Clock): void {
  describe(`clock contract: ${name}`, PATIENT, () => {
    it('tells whole milliseconds since 1970', () => {
      const [before, now, after] = [Date.now(), clock.now(), Date.now()];
      expect(Number.isSafeInteger(now)).toBe(true);
      expect(now).toBeGreaterThanOrEqual(before);
      expect(now).toBeLessThanOrEqual(after);
    });

    it('works without its object', () => {
      const { now } = clock;
      expect(now()).toBeGreaterThan(Date.UTC(2020));
    });
  });
}
