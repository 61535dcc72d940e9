import { wireDate } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../packages/server/src/metrics/metrics.ts';
import { createTrafficCounter, mergeTraffic } from '../../packages/server/src/metrics/recent.ts';

const MINUTE = 60_000;
const NOW = 1_767_344_400_000 + 30_000;

const counterAt = (now: number) => createTrafficCounter(() => now);

describe('the traffic of the last hour', () => {
  it('is counted by minute, with errors and durations', () => {
    const counter = counterAt(NOW);
    for (let n = 0; n < 98; n++) counter.observe(NOW, 200, 2);
    counter.observe(NOW, 404, 80);
    counter.observe(NOW, 503, 20_000);
    const { since, minutes } = mergeTraffic([counter.counted()], NOW);
    expect(since).toBe(wireDate(NOW));
    expect(minutes).toHaveLength(60);
    expect(minutes[0]).toEqual({
      time: wireDate(NOW - 30_000 - 59 * MINUTE),
      requests: 0,
      clientErrors: 0,
      serverErrors: 0,
      p50: null,
      p95: null,
    });
    const last = minutes.at(-1);
    expect(last).toMatchObject({ time: wireDate(NOW - 30_000), requests: 100, clientErrors: 1, serverErrors: 1 });
    // Both are in the bucket from 1 to 2.5 ms.
    for (const duration of [last?.p50, last?.p95]) {
      expect(duration).toBeGreaterThan(1);
      expect(duration).toBeLessThanOrEqual(2.5);
    }
  });

  it('forgets what is older than an hour, and keeps no more', () => {
    const counter = counterAt(NOW);
    for (let minute = 0; minute < 1000; minute++) counter.observe(NOW + minute * MINUTE, 200, 1);
    expect(counter.counted().minutes.length).toBeLessThanOrEqual(60);
    const end = NOW + 999 * MINUTE;
    const sum = (now: number) =>
      mergeTraffic([counter.counted()], now).minutes.reduce((total, { requests }) => total + requests, 0);
    expect([sum(end), sum(end + 10 * MINUTE), sum(end + 60 * MINUTE)]).toEqual([60, 50, 0]);
  });

  it('is that of all processes together', () => {
    const [one, other] = [counterAt(NOW - 5 * MINUTE), counterAt(NOW)];
    one.observe(NOW, 200, 1);
    one.observe(NOW - 2 * MINUTE, 500, 1);
    other.observe(NOW, 200, 1);
    const { since, minutes } = mergeTraffic([one.counted(), other.counted()], NOW);
    expect(since).toBe(wireDate(NOW - 5 * MINUTE));
    expect(minutes.at(-1)?.requests).toBe(3);
  });
});

describe('the metrics of several processes', () => {
  it('hold the traffic of all of them, and none of it in the text for Prometheus', async () => {
    const sources: { readonly what: string; readonly measure: () => Promise<readonly object[]> }[] = [];
    const peers = {
      onMeasure: (measure: () => Promise<readonly object[]>, what = 'metrics') => void sources.push({ measure, what }),
      gather: (wanted = 'metrics') =>
        Promise.all(sources.filter(({ what }) => what === wanted).map(({ measure }) => measure())),
    };
    const [one, other] = [createMetrics(peers), createMetrics(peers)];
    await Promise.all([one.load(), other.load()]);
    const startedAt = performance.now();
    const raw = { url: '/x?secret=1' };
    const request = { id: 'r', raw, method: 'GET', startedAt, routeOptions: { url: '/x', config: {} } };
    for (const metrics of [one, other, other])
      metrics.observe(request as unknown as FastifyRequest, { statusCode: 200 } as FastifyReply, 1);
    const { minutes } = await one.traffic();
    expect(minutes.reduce((total, { requests }) => total + requests, 0)).toBe(3);
    const { text } = await other.render();
    expect(text).toContain('http_request_duration_seconds_count{method="GET",route="/x",status="200"} 3');
    expect(text).not.toContain('traffic');
    const logged = await one.requests({ limit: 2 });
    expect(logged.map(({ id, path, status }) => [id, path, status])).toEqual([
      ['r', '/x', 200],
      ['r', '/x', 200],
    ]);
  });
});
