/** Upper limits in seconds, from the time to read one document to the timeout of clients. */
export const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Returns the bucket of a duration; one more bucket follows the last limit. */
export function bucketOf(seconds: number): number {
  let bucket = 0;
  while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] ?? 0)) bucket++;
  return bucket;
}
