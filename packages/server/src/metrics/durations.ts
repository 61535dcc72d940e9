import type { Metric } from 'prom-client';
import { BUCKETS, bucketOf } from './buckets.ts';
import type { RequestTimes } from './metrics.ts';

const NAME = 'http_request_duration_seconds';

type Labels = Readonly<Record<'method' | 'route' | 'status', string>>;

/** The durations of one route with one status. */
interface Series {
  readonly labels: Labels;
  /** Number of requests by bucket; the last bucket has no upper limit. */
  readonly counts: Float64Array;
  seconds: number;
}

interface Value {
  readonly metricName: string;
  readonly labels: Labels & { readonly le?: number | '+Inf' };
  readonly value: number;
}

function valuesOf({ labels, counts, seconds }: Series): Value[] {
  let total = 0;
  const values: Value[] = [...BUCKETS, '+Inf' as const].map((le, bucket) => {
    total += counts[bucket] ?? 0;
    return { metricName: `${NAME}_bucket`, labels: { le, ...labels }, value: total };
  });
  values.push({ metricName: `${NAME}_sum`, labels, value: seconds });
  values.push({ metricName: `${NAME}_count`, labels, value: total });
  return values;
}

/**
 * A histogram of request durations by route and status. The library's own histogram builds a text key from the labels
 * for each request, which costs more than all other metrics and logging of the request.
 */
export function createDurations() {
  /** By route (the object that all its requests share) and status. */
  const byRoute = new WeakMap<object, Map<number, Series>>();
  const all: Series[] = [];

  function seriesOf({ route, method, url, status }: RequestTimes): Series {
    let byStatus = byRoute.get(route);
    if (byStatus === undefined) {
      byStatus = new Map();
      byRoute.set(route, byStatus);
    }
    let series = byStatus.get(status);
    if (series === undefined) {
      const labels = { method, route: url, status: String(status) };
      series = { labels, counts: new Float64Array(BUCKETS.length + 1), seconds: 0 };
      byStatus.set(status, series);
      all.push(series);
    }
    return series;
  }

  return {
    observe(times: RequestTimes): void {
      const series = seriesOf(times);
      const seconds = times.ms / 1000;
      const bucket = bucketOf(seconds);
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
      series.seconds += seconds;
    },
    /** The interface that the library expects. */
    metric: {
      name: NAME,
      get: async () => ({
        name: NAME,
        help: 'Time from the head of a request to its response, by route and status',
        type: 'histogram',
        aggregator: 'sum',
        values: all.flatMap(valuesOf),
      }),
    } as unknown as Metric,
  };
}
