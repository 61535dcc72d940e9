import type { Gauge, LabelledCounts } from '@baobab/core';
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Histogram,
  Gauge as PromGauge,
  Registry,
} from 'prom-client';
import { BUCKETS } from './recent.ts';

const PREFIX = 'baobab_';
/** Sampling interval of the event-loop delay, in milliseconds. */
const EVENT_LOOP_SAMPLE_MS = 50;
const MS_PER_S = 1000;

function counterOf({ name, help, label, read }: LabelledCounts): Counter {
  return new Counter({
    name: PREFIX + name,
    help,
    labelNames: [label],
    registers: [],
    collect() {
      this.reset();
      for (const [value, count] of read()) this.inc({ [label]: value }, count);
    },
  });
}

function gaugeOf({ name, help, read }: Gauge): PromGauge {
  return new PromGauge({
    name: PREFIX + name,
    help,
    registers: [],
    async collect() {
      this.set(await read());
    },
  });
}

/** Collects all metrics of this process for the Prometheus text exposition format 0.0.4. */
export function createPrometheus(gauges: ReadonlyArray<Gauge | LabelledCounts>) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the head of a request to its response, by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [...BUCKETS],
    registers: [registry],
  });
  for (const gauge of gauges) registry.registerMetric('label' in gauge ? counterOf(gauge) : gaugeOf(gauge));
  return {
    /** @param route pattern of the path, such as `/document/:collection` */
    observe(labels: { readonly method: string; readonly route: string; readonly status: number }, ms: number): void {
      durations.observe(labels, ms / MS_PER_S);
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
    /** Returns the metrics as data that other processes can aggregate. */
    numbers: (): Promise<object[]> => registry.getMetricsAsJSON(),
    /**
     * Returns the combined text of several processes, aggregated as the library defines for each metric: sums, or
     * averages for delays.
     */
    textOf: (numbers: readonly (readonly object[])[]) =>
      AggregatorRegistry.aggregate(numbers.map((one) => [...one])).metrics(),
  };
}

export type Prometheus = ReturnType<typeof createPrometheus>;
