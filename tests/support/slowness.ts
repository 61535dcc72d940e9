import { createHash } from 'node:crypto';

/** Duration of the job below on a quiet machine on which the whole suite takes some ten minutes, in milliseconds. */
const QUIET_MS = 150;
const MAX = 6;

/** Returns the duration of a fixed job of one processor, in milliseconds. */
function jobDuration(): number {
  const began = performance.now();
  let digest = '';
  for (let at = 0; at < 150_000; at++) digest = createHash('sha256').update(`${digest}${at}`).digest('hex');
  return performance.now() - began;
}

/**
 * How much slower this machine is than a quiet one, from 1 to 6. Limits of tests are multiplied by it. A run measures it
 * once, and its processes inherit it.
 */
export function measureSlowness(): number {
  const factor = Math.min(Math.max(jobDuration() / QUIET_MS, 1), MAX);
  return Math.round(factor * 10) / 10;
}

/** The factor of this run; the largest one outside of a run. */
export const SLOWNESS = Number(process.env.TEST_SLOWNESS ?? MAX);
