import { BUCKETS, bucketOf } from './buckets.ts';

const MINUTE_MS = 60_000;
/** Minutes that are kept, the one in progress included. */
const KEPT = 60;
const MS_PER_S = 1_000;
const CLIENT_ERROR = 400;
const SERVER_ERROR = 500;

/** The requests of one minute. Plain data, so that processes can exchange it. */
export interface CountedMinute {
  /** Minutes since 1970. */
  readonly minute: number;
  requests: number;
  clientErrors: number;
  serverErrors: number;
  /** Requests by bucket of their duration; the last bucket has no upper limit. */
  readonly counts: number[];
}

export interface CountedTraffic {
  /** Milliseconds. */
  readonly since: number;
  readonly minutes: readonly CountedMinute[];
}

/** The requests of one minute. */
interface TrafficMinute {
  /** When it began, milliseconds. */
  readonly time: number;
  readonly requests: number;
  /** Answered with a status from 400 to 499. */
  readonly clientErrors: number;
  /** Answered with a status from 500 on. */
  readonly serverErrors: number;
  /** The duration that half of the requests did not exceed, estimated; null without requests. Milliseconds. */
  readonly p50: number | null;
  /** The same of 95 % of them. */
  readonly p95: number | null;
}

/** The requests of the last hour. */
interface Traffic {
  /** Since when they are counted, milliseconds. */
  readonly since: number;
  /** The oldest first, the one in progress last. */
  readonly minutes: readonly TrafficMinute[];
}

const emptyMinute = (minute: number): CountedMinute => ({
  minute,
  requests: 0,
  clientErrors: 0,
  serverErrors: 0,
  counts: Array.from({ length: BUCKETS.length + 1 }, () => 0),
});

/** Counts the requests of each of the last 60 minutes, in memory of fixed size. */
export function createTrafficCounter(now: () => number) {
  const since = Math.floor(now());
  /** By minute modulo `KEPT`. */
  const ring: CountedMinute[] = [];
  let current = emptyMinute(Math.floor(since / MINUTE_MS));
  ring[current.minute % KEPT] = current;

  return {
    /** @param at milliseconds since 1970 */
    observe(at: number, status: number, ms: number): void {
      const minute = Math.floor(at / MINUTE_MS);
      if (minute > current.minute) {
        current = emptyMinute(minute);
        ring[minute % KEPT] = current;
      }
      current.requests++;
      if (status >= SERVER_ERROR) current.serverErrors++;
      else if (status >= CLIENT_ERROR) current.clientErrors++;
      const bucket = bucketOf(ms / MS_PER_S);
      current.counts[bucket] = (current.counts[bucket] ?? 0) + 1;
    },
    counted: (): CountedTraffic => ({ since, minutes: ring.filter((one) => one !== undefined) }),
  };
}

/**
 * The duration that a share of the requests did not exceed, as far as buckets tell: between the limits of its bucket it
 * is interpolated. Milliseconds; null without requests.
 */
function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = share * total;
  let before = 0;
  for (let bucket = 0; bucket < BUCKETS.length; bucket++) {
    const count = counts[bucket] ?? 0;
    const [least, most] = [BUCKETS[bucket - 1] ?? 0, BUCKETS[bucket] ?? 0];
    if (count > 0 && before + count >= wanted) return (least + ((most - least) * (wanted - before)) / count) * MS_PER_S;
    before += count;
  }
  return (BUCKETS.at(-1) ?? 0) * MS_PER_S;
}

const MEDIAN = 0.5;
const MOST = 0.95;

/** What several processes have counted, together: the last 60 minutes, the oldest first. */
export function mergeTraffic(all: readonly CountedTraffic[], now: number): Traffic {
  const latest = Math.floor(now / MINUTE_MS);
  const merged = Array.from({ length: KEPT }, (_, at) => emptyMinute(latest - KEPT + 1 + at));
  for (const { minutes } of all) {
    for (const one of minutes) {
      const sum = merged[one.minute - latest + KEPT - 1];
      if (sum === undefined) continue;
      sum.requests += one.requests;
      sum.clientErrors += one.clientErrors;
      sum.serverErrors += one.serverErrors;
      one.counts.forEach((count, bucket) => {
        sum.counts[bucket] = (sum.counts[bucket] ?? 0) + count;
      });
    }
  }
  const minutes = merged.map(
    ({ minute, requests, clientErrors, serverErrors, counts }): TrafficMinute => ({
      time: minute * MINUTE_MS,
      requests,
      clientErrors,
      serverErrors,
      p50: percentile(counts, MEDIAN),
      p95: percentile(counts, MOST),
    }),
  );
  return { since: Math.min(...all.map(({ since }) => since), Math.floor(now)), minutes };
}
