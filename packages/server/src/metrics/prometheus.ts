import type { Gauge } from '@baobab/core';
import { AggregatorRegistry, collectDefaultMetrics, Gauge as PromGauge, Registry } from 'prom-client';
import { createDurations } from './durations.ts';

const PREFIX = 'baobab_';
/** Sampling interval of the event-loop delay, in milliseconds. */
const EVENT_LOOP_SAMPLE_MS = 50;

/** All metrics of this process in the Prometheus text exposition format 0.0.4. */
export function createPrometheus(gauges: readonly Gauge[]) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  const durations = createDurations();
  registry.registerMetric(durations.metric);
  for (const { name, help, read } of gauges) {
    registry.registerMetric(
      new PromGauge({
        name: PREFIX + name,
        help,
        registers: [],
        async collect() {
          this.set(await read());
        },
      }),
    );
  }
  return {
    observe: durations.observe,
    contentType: registry.contentType,
    text: () => registry.metrics(),
    /** The metrics as data that other processes can aggregate. */
    numbers: (): Promise<object[]> => registry.getMetricsAsJSON(),
    /**
     * The aggregated text of several processes: sums, or what the library defines for each metric (averages of delays).
     */
    textOf: (numbers: readonly (readonly object[])[]) =>
      AggregatorRegistry.aggregate(numbers.map((one) => [...one])).metrics(),
  };
}

export type Prometheus = ReturnType<typeof createPrometheus>;
