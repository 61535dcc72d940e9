import { describe, expect, it } from 'vitest';
import { createPrometheus } from '../../packages/server/src/metrics/prometheus.ts';

const GET = { method: 'GET', route: '/document/:collection' };
const POST = { method: 'POST', route: '/login' };

/** The lines of the histogram with these labels, without its name. */
async function linesOf({ text }: ReturnType<typeof createPrometheus>, labels: string): Promise<string[]> {
  const lines = (await text()).split('\n').filter((line) => line.startsWith('http_request_duration_seconds'));
  return lines.filter((line) => line.includes(labels)).map((line) => line.replace(`${labels}`, ''));
}

const expected = (counts: readonly number[], sum: number) => {
  const bounds = ['0.001', '0.0025', '0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10'];
  const name = 'http_request_duration_seconds';
  return [
    ...[...bounds, '+Inf'].map((le, at) => `${name}_bucket{le="${le}",} ${counts[at]}`),
    `${name}_sum{} ${sum}`,
    `${name}_count{} ${counts.at(-1)}`,
  ];
};

describe('durations of requests', () => {
  it('are counted in every bucket whose limit they do not exceed', async () => {
    const prometheus = createPrometheus([]);
    for (const ms of [0, 1, 1.5, 250, 10_000, 60_000]) prometheus.observe({ ...GET, status: 200 }, ms);
    const lines = await linesOf(prometheus, 'method="GET",route="/document/:collection",status="200"');
    expect(lines).toEqual(expected([2, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 5, 6], 70.2525));
  });

  it('are separated by route and status', async () => {
    const prometheus = createPrometheus([]);
    prometheus.observe({ ...GET, status: 200 }, 2);
    prometheus.observe({ ...GET, status: 404 }, 20);
    prometheus.observe({ ...POST, status: 200 }, 200);
    const first = (await linesOf(prometheus, 'method="GET",route="/document/:collection",status="200"')).at(-2);
    const second = (await linesOf(prometheus, 'method="GET",route="/document/:collection",status="404"')).at(-2);
    const third = (await linesOf(prometheus, 'method="POST",route="/login",status="200"')).at(-2);
    expect([first, second, third].map((line) => line?.split(' ').at(-1))).toEqual(['0.002', '0.02', '0.2']);
  });

  it('of several processes are added up', async () => {
    const [one, other] = [createPrometheus([]), createPrometheus([])];
    one.observe({ ...POST, status: 200 }, 2);
    other.observe({ ...POST, status: 200 }, 2_000);
    const text = await one.textOf([await one.numbers(), await other.numbers()]);
    expect(text).toContain('_bucket{le="0.0025",method="POST",route="/login",status="200"} 1\n');
    expect(text).toContain('_bucket{le="2.5",method="POST",route="/login",status="200"} 2\n');
    expect(text).toContain('_sum{method="POST",route="/login",status="200"} 2.002\n');
  });
});
