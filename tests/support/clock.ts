import type { Clock } from '@baobab/core';

/** A clock that only the test advances. */
export interface HandDrivenClock extends Clock {
  advance(milliseconds: number): void;
}

export const MINUTE = 60_000;

export function createHandDrivenClock(start = Date.UTC(2026, 0, 31, 9, 12, 3, 512)): HandDrivenClock {
  let now = start;
  return {
    now: () => now,
    advance(milliseconds) {
      now += milliseconds;
    },
  };
}
