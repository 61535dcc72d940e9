import type { Gauge } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PeerWorkers } from '../workers/peer-workers.ts';
import type { Prometheus } from './prometheus.ts';

/** What is counted of a request. */
export interface RequestTimes {
  /** The same object for all requests of a route by one method. */
  readonly route: object;
  readonly method: string;
  /** The pattern of the path: `/document/:collection`. */
  readonly url: string;
  readonly status: number;
  readonly ms: number;
}

/** Stands for the route of what no route matched: paths that clients make up are no labels. */
const UNMATCHED = 'unmatched';

/**
 * Counts requests from the first call of `load` on: the library that counts takes longer to load than the service has
 * to start.
 *
 * @param colleagues whose numbers are to be added; absent: there are none
 */
export function createMetrics(peers?: Pick<PeerWorkers, 'gather' | 'onMeasure'>) {
  const gauges: Gauge[] = [];
  /** By method, of which Node takes only those that it knows. */
  const unmatched = new Map<string, object>();
  let prometheus: Prometheus | null = null;
  let loading: Promise<Prometheus> | null = null;

  function load(): Promise<Prometheus> {
    loading ??= import('./prometheus.ts').then(({ createPrometheus }) => {
      prometheus = createPrometheus(gauges);
      return prometheus;
    });
    return loading;
  }

  function unmatchedBy(method: string): object {
    const known = unmatched.get(method) ?? {};
    unmatched.set(method, known);
    return known;
  }

  peers?.onMeasure(async () => (await load()).numbers());

  return {
    /** To be called before `load`. */
    add(gauge: Gauge): void {
      gauges.push(gauge);
    },
    load,
    /** To be called when the answer is ready. */
    observe(request: FastifyRequest, reply: FastifyReply, ms: number): void {
      if (prometheus === null) return;
      const { config, url } = request.routeOptions;
      const { method } = request;
      const place = url === undefined ? { route: unmatchedBy(method), url: UNMATCHED } : { route: config, url };
      prometheus.observe({ ...place, method, status: reply.statusCode, ms });
    },
    /** Everything, as Prometheus scrapes it. */
    async render(): Promise<{ readonly contentType: string; readonly text: string }> {
      const { contentType, text, textOf } = await load();
      return { contentType, text: await (peers === undefined ? text() : textOf(await peers.gather())) };
    },
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
