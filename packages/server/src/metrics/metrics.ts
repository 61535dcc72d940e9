import type { Gauge, LabelledCounts } from '@baobab/core';
import type { ObservedRequest, RequestFilter } from '@baobab/http';
import type { FastifyReply } from 'fastify';
import type { PeerWorkers } from '../workers/peer-workers.ts';
import type { Prometheus } from './prometheus.ts';
import {
  type CountedTraffic,
  createRequestLog,
  createTrafficCounter,
  mergeRequests,
  mergeTraffic,
  type RequestLogEntry,
} from './recent.ts';

/** Label of requests without a route: paths that clients invent must not become labels. */
const UNMATCHED = 'unmatched';

/** Name under which a worker reports its traffic to its peers, next to its metrics. */
const TRAFFIC = 'traffic';
interface SharedTraffic {
  readonly name: typeof TRAFFIC;
  readonly traffic: CountedTraffic;
}
const isTraffic = (one: object): one is SharedTraffic => 'name' in one && one.name === TRAFFIC;

/** Requests of health checks, which are not traffic. The page of administrators sends one every few seconds. */
const PROBE = '/health/live';

/** Returns milliseconds since 1970 by the clock that measures requests. */
const now = () => performance.timeOrigin + performance.now();

/**
 * Counts the requests by route, and the traffic of the last hour. Requests by route are counted only after the first
 * call of `load`, because loading the metrics library takes longer than a start should.
 *
 * @param peers peer workers whose metrics are added; absent without peers
 */
export function createMetrics(peers?: Pick<PeerWorkers, 'gather' | 'onMeasure'>) {
  const gauges: Array<Gauge | LabelledCounts> = [];
  const traffic = createTrafficCounter(now);
  const log = createRequestLog(now);
  let prometheus: Prometheus | null = null;
  let loading: Promise<Prometheus> | null = null;

  function load(): Promise<Prometheus> {
    loading ??= import('./prometheus.ts').then(({ createPrometheus }) => {
      prometheus = createPrometheus(gauges);
      return prometheus;
    });
    return loading;
  }

  peers?.onMeasure(async () => [
    ...(await (await load()).numbers()),
    { name: TRAFFIC, traffic: traffic.counted() } satisfies SharedTraffic,
  ]);
  // Asked for separately: the log is much longer than the metrics.
  peers?.onMeasure(async () => log.kept(), 'requests');

  return {
    /** Call this before `load`. */
    add(gauge: Gauge | LabelledCounts): void {
      gauges.push(gauge);
    },
    load,
    /** Call this when the response is ready. */
    observe(request: ObservedRequest, reply: FastifyReply, ms: number): void {
      log.observe(request, reply.statusCode, ms);
      const { method, routeOptions } = request;
      if (routeOptions.url !== PROBE)
        traffic.observe(performance.timeOrigin + request.startedAt + ms, reply.statusCode, ms);
      prometheus?.observe({ method, route: routeOptions.url ?? UNMATCHED, status: reply.statusCode }, ms);
    },
    /** Sets the source of the limits of the request log. */
    limitLog: log.limitBy,
    /** Returns all metrics in Prometheus format. */
    async render(): Promise<{ readonly contentType: string; readonly text: string }> {
      const { contentType, text, textOf } = await load();
      if (peers === undefined) return { contentType, text: await text() };
      const gathered = await peers.gather();
      return { contentType, text: await textOf(gathered.map((numbers) => numbers.filter((one) => !isTraffic(one)))) };
    },
    /** Returns the newest requests to all workers of this node. */
    async requests(filter: RequestFilter) {
      const logs = peers === undefined ? [log.kept()] : await peers.gather('requests');
      return mergeRequests(logs as readonly (readonly RequestLogEntry[])[], filter);
    },
    /** Returns the requests of the last hour to all workers of this node. */
    async traffic() {
      const counted =
        peers === undefined
          ? [traffic.counted()]
          : (await peers.gather()).flatMap((numbers) => numbers.filter(isTraffic).map((one) => one.traffic));
      return mergeTraffic(counted, now());
    },
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
