function timeOf(work: () => void): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

/** How many times as long one thing takes as another: of each the best of several runs, taken in turn. */
export function effortRatio(one: () => void, other: () => void): number {
  const times: [number, number][] = Array.from({ length: 7 }, () => [timeOf(one), timeOf(other)]);
  return Math.min(...times.map(([time]) => time)) / Math.min(...times.map(([, time]) => time));
}
