import type { Gauge } from '@baobab/core';
import { AggregatorRegistry, collectDefaultMetrics, Gauge as PromGauge, Registry } from 'prom-client';
import { createDurations } from './durations.ts';

const PREFIX = 'baobab_';
/** How often the delay of the event loop is sampled, milliseconds. */
const EVENT_LOOP_SAMPLE_MS = 50;

/** All numbers of this process in the format of Prometheus (text exposition format 0.0.4). */
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
    /** As other processes can add them to theirs. */
    numbers: (): Promise<object[]> => registry.getMetricsAsJSON(),
    /** Of several processes together: sums, and what is no sum as the library says for each (averages of delays). */
    textOf: (numbers: readonly (readonly object[])[]) =>
      AggregatorRegistry.aggregate(numbers.map((one) => [...one])).metrics(),
  };
}

export type Prometheus = ReturnType<typeof createPrometheus>;
