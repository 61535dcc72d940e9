/** Returns the processor time, which excludes other programs on the machine. */
function timeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Returns the ratio of the durations of two functions: the best of several alternating runs. */
export function effortRatio(one: () => void, other: () => void): number {
  const times: [number, number][] = Array.from({ length: 7 }, () => [timeOf(one), timeOf(other)]);
  return Math.min(...times.map(([time]) => time)) / Math.min(...times.map(([, time]) => time));
}
