import { uptime } from 'node:os';
import type { Clock } from '@baobab/core';

const MS_PER_S = 1_000;

export function createSystemClock(): Clock {
  // Not `performance.now()`, which stands still on a suspended laptop: each wake-up would look like a jump.
  return { now: Date.now, steady: () => uptime() * MS_PER_S };
}
