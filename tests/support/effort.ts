/** Processor time, so that other programs on the machine do not count. */
function timeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The ratio of the times of two functions: the best of several runs of each, in turn. */
export function effortRatio(one: () => void, other: () => void): number {
  const times: [number, number][] = Array.from({ length: 7 }, () => [timeOf(one), timeOf(other)]);
  return Math.min(...times.map(([time]) => time)) / Math.min(...times.map(([, time]) => time));
}
