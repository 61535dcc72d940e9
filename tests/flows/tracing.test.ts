import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { createClient } from '../support/client.ts';
import { startProgram } from '../support/program.ts';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Readonly<Record<string, unknown>> }>;
}

const attributeOf = ({ attributes }: Span, key: string) =>
  Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0];

it('sends a span for each request, within the trace of the caller', async () => {
  const spans: Span[] = [];
  const collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/v1/traces') {
        const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString());
        spans.push(...resourceSpans[0].scopeSpans[0].spans);
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const address = collector.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const program = startProgram({
    DATABASE_URL: 'memory:',
    BLOB_URL: 'memory:',
    APP_CODE: 'code',
    ADMIN_PASSWORD: 'secret-of-the-admin',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`,
  });
  try {
    const client = createClient(await program.ready(), 'code');
    const body = { username: 'admin', password: 'secret-of-the-admin' };
    const { data } = await client('POST', '/login', { body });
    const [traceId, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    const headers = { traceparent: `00-${traceId}-${parent}-01`, 'x-request-id': 'mine' };
    await client('GET', '/user/nobody?call_id=hidden', { token: data['X-BB-SESSION'], headers });
    await client('GET', '/health/live', { headers: { traceparent: `00-${traceId}-${parent}-00` } });
    await client('GET', '/health/live', { headers: { traceparent: 'nonsense' } });
    program.kill('SIGTERM');
    expect(await program.exit).toEqual({ code: 0, signal: null });
    // The span of a caller that does not record is missing.
    expect(spans.map(({ name }) => name).sort()).toEqual(['GET /health/live', 'GET /user/:username', 'POST /login']);
    const span = spans.find(({ name }) => name === 'GET /user/:username') as Span;
    expect([span.traceId, span.parentSpanId]).toEqual([traceId, parent]);
    expect(
      ['http.response.status_code', 'http.route', 'baobab.request_id', 'user.id'].map((key) => attributeOf(span, key)),
    ).toEqual([404, '/user/:username', 'mine', data.id]);
    expect(JSON.stringify(spans)).not.toMatch(/secret-of-the-admin|hidden/);
  } finally {
    await program.dispose();
    await new Promise((resolve) => collector.close(resolve));
  }
});
