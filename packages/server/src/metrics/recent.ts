import { wireDate } from '@baobab/core';
import { type ObservedRequest, pathOf, type RequestFilter, type RequestMetrics } from '@baobab/http';

/** Level of the logged requests, and the number that is kept. */
export interface RequestLogLimits {
  readonly level: string;
  readonly size: number;
}

type LoggedRequest = Awaited<ReturnType<RequestMetrics['requests']>>[number];
type Traffic = Awaited<ReturnType<RequestMetrics['traffic']>>;

/** A logged request, at a time in milliseconds since 1970. Plain data, so that processes can exchange it. */
export type RequestLogEntry = Omit<LoggedRequest, 'time'> & { readonly time: number };

/** Limits until the settings are read. */
const INITIAL: RequestLogLimits = { level: 'all', size: 1000 };
/** Changed settings apply after this time, in milliseconds. */
const REREAD_MS = 1_000;
const ERROR = 400;

/** Requests of load balancers, scrapers and the console, which would displace those of apps. */
const OWN = /^\/(?:health\/|metrics$|console(?:\/|$))/;

/** Logs the newest requests in memory of bounded size, without bodies, queries, headers and secrets. */
export function createRequestLog(now: () => number) {
  let entries: RequestLogEntry[] = [];
  let limits = INITIAL;
  let readLimits: () => Promise<RequestLogLimits> = async () => INITIAL;
  let readAt = 0;

  /** Reads the settings in the background. They are cached, so this rarely reaches the database. */
  function refresh(at: number): void {
    if (at < readAt + REREAD_MS) return;
    readAt = at;
    readLimits().then(
      (found) => {
        limits = found;
      },
      () => undefined, // the last known settings apply
    );
  }

  return {
    /** Sets the source of the limits. */
    limitBy(read: () => Promise<RequestLogLimits>): void {
      readLimits = read;
      readAt = 0;
    },
    /** @param ms duration of the request in milliseconds */
    observe(request: ObservedRequest, status: number, ms: number): void {
      const time = Math.floor(now());
      refresh(time);
      const { level, size } = limits;
      if (level === 'off' || size === 0) {
        entries = [];
        return;
      }
      const path = pathOf(request.raw.url ?? '');
      // These reads are mostly the console's, and would displace the requests of apps, too.
      const isRead = status < ERROR && request.method === 'GET' && path.startsWith('/admin/');
      if (isRead || (level === 'errors' && status < ERROR) || OWN.test(path)) return;
      const { user = null, key = null } = request.actor ?? {};
      entries.push({
        id: request.id,
        time,
        method: request.method,
        path,
        status,
        ms: Math.round(ms * 10) / 10,
        user: user?.name ?? null,
        key: key?.id ?? null,
      });
      // In blocks, because removing the first element of a list moves all others.
      if (entries.length >= 2 * size) entries = entries.slice(-size);
    },
    /** Returns the kept requests, oldest first. */
    kept: (): readonly RequestLogEntry[] => (limits.size === 0 ? [] : entries.slice(-limits.size)),
  };
}

const hasStatus = (status: number, wanted: string) =>
  wanted.endsWith('xx') ? String(status).startsWith(wanted.charAt(0)) : String(status) === wanted;

/** Combines the logs of several processes: the newest requests that match the filter, newest first. */
export function mergeRequests(logs: readonly (readonly RequestLogEntry[])[], filter: RequestFilter): LoggedRequest[] {
  const { status, path, user, limit } = filter;
  const matches = (entry: RequestLogEntry) =>
    (status === undefined || hasStatus(entry.status, status)) &&
    (path === undefined || entry.path.includes(path)) &&
    (user === undefined || entry.user === user);
  return logs
    .flatMap((entries) => entries.filter(matches))
    .sort((a, b) => b.time - a.time)
    .slice(0, limit)
    .map((entry) => ({ ...entry, time: wireDate(entry.time) }));
}

/** Upper limits in seconds, from the time to read one document to the timeout of clients. */
export const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Returns the bucket of a duration; one more bucket follows the last limit. */
function bucketOf(seconds: number): number {
  let bucket = 0;
  while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] ?? 0)) bucket++;
  return bucket;
}

const MINUTE_MS = 60_000;
/** Number of minutes stored, including the current one. */
const KEPT = 60;
const MS_PER_S = 1_000;
const CLIENT_ERROR = 400;
const SERVER_ERROR = 500;

/** Requests of one minute. Plain data, so that processes can exchange it. */
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
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly minutes: readonly CountedMinute[];
}

const emptyMinute = (minute: number): CountedMinute => ({
  minute,
  requests: 0,
  clientErrors: 0,
  serverErrors: 0,
  counts: Array.from({ length: BUCKETS.length + 1 }, () => 0),
});

/** Counts the requests of each of the last 60 minutes in memory of fixed size. */
export function createTrafficCounter(now: () => number) {
  const since = Math.floor(now());
  /** Counts by minute modulo `KEPT`. */
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

/** Estimates a percentile of the duration in milliseconds by interpolation within its bucket. Null without requests. */
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

/** Combines the counts of several processes: the last 60 minutes, oldest first. */
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
  const minutes = merged.map(({ minute, requests, clientErrors, serverErrors, counts }) => ({
    time: wireDate(minute * MINUTE_MS),
    requests,
    clientErrors,
    serverErrors,
    p50: percentile(counts, MEDIAN),
    p95: percentile(counts, MOST),
  }));
  return { since: wireDate(Math.min(...all.map(({ since }) => since), Math.floor(now))), minutes };
}
