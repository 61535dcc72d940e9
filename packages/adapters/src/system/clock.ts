import type { Clock } from '@baobab/core';

export function createSystemClock(): Clock {
  return { now: Date.now };
}
