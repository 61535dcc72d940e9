import type { Clock, TimeWatch } from '@baobab/core';

/** A clock that only the test advances. */
export interface HandDrivenClock extends Clock {
  advance(milliseconds: number): void;
  /** Sets the clock wrong, or right: no time passes. */
  jump(milliseconds: number): void;
}

export const MINUTE = 60_000;

export function createHandDrivenClock(start = Date.UTC(2026, 0, 31, 9, 12, 3, 512)): HandDrivenClock {
  let [now, steady] = [start, 0];
  return {
    now: () => now,
    steady: () => steady,
    advance(milliseconds) {
      now += milliseconds;
      steady += milliseconds;
    },
    jump(milliseconds) {
      now += milliseconds;
    },
  };
}

/** A watch that trusts the clock always. */
export const trusting = ({ now }: Clock): TimeWatch => ({
  begin: async () => undefined,
  record: async () => undefined,
  earliest: now,
  latest: now,
  jump: () => null,
});
