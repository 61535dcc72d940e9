import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import openapi from '../../docs/openapi.json' with { type: 'json' };
import { type CallOptions, createWorld } from '../support/backend.ts';

const MAX_JSON_BYTES = 2_000;

const bytes = (type: string, text: string): CallOptions => ({ bytes: { type, payload: Buffer.from(text) } });

/** Requests that no route accepts, in every part that is parsed or validated. */
const BODIES: Readonly<Record<string, CallOptions>> = {
  'no body': {},
  'no JSON': { body: '{"url":' },
  'another shape': { body: [null] },
  'an unknown member': { body: { nothing: true } },
  'a body over the limit': { body: { value: 'x'.repeat(MAX_JSON_BYTES) } },
  'a media type that no route accepts': bytes('application/x-nothing', 'x'),
  'a form without a boundary': bytes('multipart/form-data', 'x'),
  'a broken form': bytes('multipart/form-data; boundary=b', '--b\r\nx'),
};

/** Each makes a URL from a path with parameters. */
const URLS: Readonly<Record<string, (path: string) => string>> = {
  'an unknown parameter': (path) => `${path.replace(/\{\w+\}/g, 'nothing')}?nothing=1`,
  'invalid pages': (path) => `${path.replace(/\{\w+\}/g, 'nothing')}?page=-1&recordsPerPage=x&cursor=x&where=(`,
  'a query that is not UTF-8': (path) => `${path.replace(/\{\w+\}/g, 'nothing')}?where=%FF`,
  'U+0000 in the query': (path) => `${path.replace(/\{\w+\}/g, 'nothing')}?where=%00`,
  'U+0000 in the path': (path) => path.replace(/\{\w+\}/g, 'a%00'),
  'long names': (path) => path.replace(/\{\w+\}/g, 'n'.repeat(4_000)),
};

/** Every route of the table that administrators are offered, from the document that is made from that table. */
const ROUTES = Object.entries(openapi.paths)
  .filter(([path]) => path.startsWith('/admin/'))
  .flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => /^(get|put|post|delete)$/.test(method))
      .flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
      .map((method) => ({ method, path })),
  );

/** The interface answers 401 on settings, also to users who are signed in. */
const statusFor = (path: string) => (path.startsWith('/admin/configuration/') ? 401 : 403);

describe('a route under /admin', () => {
  let backend: TestBackend;
  let world: ReturnType<typeof createWorld>;
  beforeAll(async () => {
    backend = await createTestBackend({ maxJsonBytes: MAX_JSON_BYTES });
    world = createWorld(backend);
  });
  afterAll(() => backend.close());

  const refused = (caller: CallOptions, { status, code }: { status: (path: string) => number; code: string }) =>
    async function check(kind: string, path: string, method: string, url: string, options: CallOptions) {
      const answer = await world.call(method, url, { ...options, ...caller });
      const expected = { status: status(path), ...(method === 'HEAD' ? {} : { code }) };
      const found = { status: answer.status, ...(method === 'HEAD' ? {} : { code: answer.body?.code }) };
      return JSON.stringify(found) === JSON.stringify(expected)
        ? []
        : [`${method} ${path} with ${kind}: ${answer.status} ${answer.body?.code}`];
    };

  async function differences(check: ReturnType<typeof refused>): Promise<string[]> {
    const found: string[] = [];
    for (const { method, path } of ROUTES) {
      const plain = path.replace(/\{\w+\}/g, 'nothing');
      for (const [kind, url] of Object.entries(URLS)) found.push(...(await check(kind, path, method, url(path), {})));
      if (method === 'GET' || method === 'HEAD') continue;
      for (const [kind, body] of Object.entries(BODIES)) found.push(...(await check(kind, path, method, plain, body)));
    }
    return found;
  }

  it('refuses users without the role before it looks at their request', async () => {
    const { token } = await world.user();
    expect(await differences(refused({ token }, { status: statusFor, code: 'admin.required' }))).toEqual([]);
  });

  it('refuses anonymous callers before it looks at their request', async () => {
    expect(await differences(refused({}, { status: () => 401, code: 'auth.required' }))).toEqual([]);
  });

  it('tells administrators what is wrong with their request', async () => {
    const token = await world.admin();
    expect((await world.call('POST', '/admin/webhook', { token, body: [null] })).status).toBe(400);
    expect((await world.call('PUT', '/admin/webhook/x', { token, ...BODIES['no JSON'] })).status).toBe(400);
  });
});
