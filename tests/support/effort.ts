function timeOf(work: () => void): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

/** The ratio of the times of two functions: the best of several runs of each, in turn. */
export function effortRatio(one: () => void, other: () => void): number {
  const times: [number, number][] = Array.from({ length: 7 }, () => [timeOf(one), timeOf(other)]);
  return Math.min(...times.map(([time]) => time)) / Math.min(...times.map(([, time]) => time));
}
