import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fences } from '../support/fences.ts';
import { openLive } from '../support/live-sockets.ts';
import { readDocument } from '../support/markdown.ts';
import { startNginx } from '../support/nginx.ts';
import { until } from '../support/patience.ts';
import { type Program, startProgram } from '../support/program.ts';
import { type RunningProxy, startApache, startCaddy } from '../support/proxies.ts';
import { openStream } from '../support/streams.ts';

const LARGE = 100_000_000;
const CODE = { 'X-SERVICE-APPCODE': '1234567890' };
const ADMIN = { ...CODE, authorization: `Basic ${Buffer.from('admin:admin').toString('base64')}` };

/** The only block of the page with this info. */
function block(info: string): string {
  const found = fences(readDocument('docs/deploy-proxy.md')).filter((fence) => fence.info === info);
  expect(found).toHaveLength(1);
  return found[0]?.text ?? '';
}

/** A configuration of the page, for a service on this port. */
function configuration(info: string, port: number): string {
  const text = block(info);
  expect(text).toContain('127.0.0.1:9000');
  return text.replaceAll('127.0.0.1:9000', `127.0.0.1:${port}`);
}

const nginx = (locations: string, above = '') =>
  startNginx(
    (port) =>
      `${block('nginx upgrade')}\n${above}\nserver {\nlisten 127.0.0.1:${port};\nserver_name example.org;\n${locations}\n}`,
  );

const PROXIES: ReadonlyArray<
  readonly [name: string, info: string, prefix: string, start: (text: string) => Promise<RunningProxy>]
> = [
  ['nginx', 'nginx', '', nginx],
  ['nginx with a path prefix', 'nginx prefix', '/api', (text) => nginx(text, block('nginx map'))],
  ['Apache httpd', 'apache', '', startApache],
  ['Apache httpd with a path prefix', 'apache prefix', '/api', startApache],
  ['Caddy', 'caddy', '', startCaddy],
  ['Caddy with a path prefix', 'caddy prefix', '/api', startCaddy],
];

let program: Program;
let direct: string;
beforeAll(async () => {
  program = startProgram({
    DATABASE_URL: 'memory:',
    BLOB_URL: 'memory:',
    ADMIN_PASSWORD: 'admin',
    RATE_LIMIT: 'off',
    TRUST_PROXY: 'on',
    KEEP_ALIVE_SECONDS: '620',
  });
  direct = await program.ready();
});
afterAll(() => program.dispose());

/** The envelope of an answer. */
async function call(url: string, method = 'GET', body?: object, headers: Readonly<Record<string, string>> = ADMIN) {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(url, { method, headers: { ...headers, ...type }, ...json });
  const { data } = (await response.json()) as { data: Record<string, never> };
  return { status: response.status, data };
}

describe.each(PROXIES)('behind %s', (_name, info, prefix, start) => {
  let proxy: RunningProxy;
  let base: string;
  beforeAll(async () => {
    proxy = await start(configuration(info, Number(new URL(direct).port)));
    base = `${proxy.url}${prefix}`;
  });
  afterAll(() => proxy.stop());

  it.each(['a b', 'a;b=c', 'a&b', 'é', 'a+b'])('reaches a user called %s', async (name) => {
    const username = `${name}${randomBytes(3).toString('hex')}`;
    expect((await call(`${base}/user`, 'POST', { username, password: 'secret' }, CODE)).status).toBe(201);
    const path = encodeURIComponent(username);
    expect(await call(`${base}/user/${path}`)).toMatchObject({ status: 200, data: { user: { name: username } } });
    expect((await call(`${base}/admin/user/suspend/${path}`, 'PUT')).status).toBe(200);
    expect((await call(`${base}/admin/user/${path}`, 'DELETE')).status).toBe(200);
  });

  it('passes encoded slashes on unchanged, so that they never name another path', async () => {
    const paths = ['/user/a%2Fb', '/user/..%2Fadmin', '/asset/a%2Fb', '/document/c/x%2F..%2Fy'];
    const through = await Promise.all(paths.map(async (path) => (await call(`${base}${path}`)).status));
    const without = await Promise.all(paths.map(async (path) => (await call(`${direct}${path}`)).status));
    expect(through).toEqual(without);
  });

  it('shows the address of the client, not the one that the client claims', async () => {
    const forged = { ...CODE, 'X-Forwarded-For': '6.6.6.6', Forwarded: 'for=6.6.6.6' };
    const login = await call(`${base}/login`, 'POST', { username: 'admin', password: 'admin' }, forged);
    const token = { ...CODE, 'X-BB-SESSION': String(login.data['X-BB-SESSION']) };
    const sessions = await call(`${base}/me/sessions`, 'GET', undefined, token);
    const current = Object.values(sessions.data).find((session: { current: boolean }) => session.current);
    expect(current).toMatchObject({ network: '127.0.0.0/24' });
  });

  it('streams changes without buffering', async () => {
    const collection = `c${randomBytes(4).toString('hex')}`;
    await call(`${direct}/admin/collection/${collection}`, 'POST');
    const stream = await openStream(base, `collection=${collection}`, {
      headers: { authorization: ADMIN.authorization },
    });
    try {
      // The stream stays open: what arrives was passed on at once.
      await until(() => stream.events.length > 0);
      await call(`${direct}/document/${collection}`, 'POST', { title: 'first' });
      await until(() => stream.events.some(({ event }) => event === 'put'));
    } finally {
      await stream.close();
    }
  });

  it('passes sockets on, and requests on reused connections', async () => {
    const collection = `c${randomBytes(4).toString('hex')}`;
    await call(`${direct}/admin/collection/${collection}`, 'POST');
    const live = await openLive(base, { hello: null, headers: ADMIN });
    try {
      await live.line('welcome admin');
      live.send({ type: 'subscribe', id: 1, collection });
      await live.line('ready 1');
      expect((await call(`${base}/document/${collection}`, 'POST', { title: 'first' })).status).toBe(200);
      await live.line('put 1');
      live.send({ type: 'ping' });
      await live.line('pong');
    } finally {
      live.close();
    }
  });

  it('stores and returns a file of 100 MB', async () => {
    const form = new FormData();
    form.append('file', new Blob([Buffer.alloc(LARGE, 'x')]), 'large.bin');
    const stored = await fetch(`${base}/file`, { method: 'POST', headers: ADMIN, body: form });
    expect(stored.status).toBe(201);
    const { data } = (await stored.json()) as { data: { id: string } };
    const read = await fetch(`${base}/file/${data.id}`, { headers: ADMIN });
    let size = 0;
    for await (const chunk of read.body ?? []) size += chunk.length;
    expect([read.status, size]).toEqual([200, LARGE]);
    expect((await call(`${base}/file/${data.id}`, 'DELETE')).status).toBe(200);
  });
});

it('tells proxies how long it keeps idle connections', async () => {
  const { headers } = await fetch(`${direct}/health/live`);
  expect(headers.get('keep-alive')).toBe('timeout=620');
});

it.each(PROXIES)('passes an upload on while it arrives, behind %s', async (_name, info, prefix, start) => {
  const service = createServer();
  const arrived = new Promise<void>((resolve) => {
    service.on('request', (incoming) => {
      incoming.once('data', () => resolve());
      incoming.on('error', () => undefined);
    });
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const proxy = await start(configuration(info, (service.address() as AddressInfo).port));
  // The body never ends: only a proxy that passes its beginning on sends anything.
  const sending = request(`${proxy.url}${prefix}/file`, { method: 'POST', headers: { 'content-length': LARGE } });
  sending.on('error', () => undefined);
  try {
    // More than Apache collects in memory before it connects.
    sending.write(Buffer.alloc(LARGE / 100));
    await arrived;
  } finally {
    sending.destroy();
    service.closeAllConnections();
    service.close();
    await proxy.stop();
  }
});
