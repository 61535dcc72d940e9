import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { startProgram } from '../support/program.ts';

const ADMIN = ['admin', 'admin'] as const;

onEveryStorage('metrics', (world) => {
  const scrape = async () => (await world.call('GET', '/metrics', { basic: ADMIN, appCode: null })).text;
  const counted = (text: string, method: string, route: string, status: number) =>
    Number(
      text
        .split('\n')
        .find((line) =>
          line.startsWith(
            `http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`,
          ),
        )
        ?.split(' ')
        .at(-1) ?? 0,
    );

  it('count requests by route and status, from the first scrape on', async () => {
    await scrape();
    await world.call('GET', '/user/nobody', { basic: ADMIN });
    await world.call('GET', '/user/somebody-else', { basic: ADMIN });
    await world.call('GET', '/no/such/place');
    for (let n = 0; n < 2; n++) await world.call('POST', '/no/such/place');
    await world.call('HEAD', '/user/nobody', { basic: ADMIN });
    const text = await scrape();
    expect(counted(text, 'GET', '/user/:username', 404)).toBe(2);
    expect(counted(text, 'HEAD', '/user/:username', 404)).toBe(1);
    expect(counted(text, 'GET', 'unmatched', 404)).toBe(1);
    expect(counted(text, 'POST', 'unmatched', 404)).toBe(2);
    expect(text).not.toContain('somebody-else');
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  });

  it('are in the Prometheus text format', async () => {
    const { status, headers } = await world.call('GET', '/metrics', { basic: ADMIN, appCode: null });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it('are for administrators only', async () => {
    const { token } = await world.user();
    expect((await world.call('GET', '/metrics', { token })).status).toBe(403);
    expect((await world.call('GET', '/metrics', { appCode: null })).status).toBe(401);
    expect((await world.call('GET', '/metrics', { basic: ['admin', 'wrong'], appCode: null })).status).toBe(401);
  });
});

it('are served on a separate port without credentials when the operator configures one', async () => {
  const program = startProgram({ DATABASE_URL: 'memory:', BLOB_URL: 'memory:', METRICS_PORT: '0' });
  try {
    const address = await program.ready();
    const { address: scrapes } = JSON.parse(await program.line('"msg":"metrics listening"')) as { address: string };
    await fetch(`${address}/health/live`);
    const text = await (await fetch(`${scrapes}/metrics`)).text();
    expect(text).toContain('http_request_duration_seconds_count{method="GET",route="/health/live",status="200"} 1');
    expect((await fetch(`${scrapes}/health/live`)).status).toBe(404);
  } finally {
    await program.dispose();
  }
});
