import { beforeAll, describe, expect, it } from 'vitest';
import { publishedImage } from '../support/assets.ts';
import type { Answer, CallOptions } from '../support/backend.ts';
import { onEveryStore } from '../support/blobs.ts';
import { createShelf } from '../support/documents.ts';
import { filePart, stored } from '../support/files.ts';
import { adminOf, setSettings } from '../support/people.ts';

const CALLER_HEADERS = ['authorization', 'x-bb-session', 'x-service-appcode', 'x-baasbox-appcode'];

const variesOn = ({ headers }: Answer) => String(headers.vary).toLowerCase().split(/, */);

function expectForCaller(answer: Answer, what: string, control: string | RegExp = 'private, no-store'): void {
  const expected = typeof control === 'string' ? control : expect.stringMatching(control);
  expect([what, answer.headers['cache-control']]).toEqual([what, expected]);
  expect(variesOn(answer)).toEqual(expect.arrayContaining(CALLER_HEADERS));
}

onEveryStore('caching', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);

  it('is not allowed for answers about a caller', async () => {
    const { collection, owner, create, path } = await createShelf(world);
    const { id } = await create({});
    const { token, name } = owner;
    const asked: ReadonlyArray<readonly [method: string, path: string, status: number, options?: CallOptions]> = [
      ['GET', '/me', 200, { token }],
      ['GET', '/me', 200, { basic: [name, 'secret'] }],
      ['HEAD', '/me', 200, { token }],
      ['GET', path(id), 200, { token }],
      ['GET', `/document/${collection}`, 200, { token }],
      ['GET', `/document/${collection}`, 200],
      ['GET', `/document/${collection}?X-BB-SESSION=${token}`, 200, { appCode: null }],
      ['POST', `/document/${collection}`, 200, { token, body: {} }],
      ['DELETE', path(id), 204, { token }],
      ['GET', path(id), 404, { token }],
      ['GET', '/nowhere', 404, { token }],
      ['PATCH', '/me', 405, { token, body: {} }],
      ['GET', '/me', 401, { token: 'stale' }],
      ['GET', '/me', 400, { appCode: 'wrong' }],
      ['GET', '/%zz%ff', 400],
      ['POST', '/user', 415, { body: 'x', headers: { 'content-type': 'text/plain' } }],
      ['GET', '/health/live', 200],
      ['GET', '/health/ready', 200],
      ['GET', '/metrics', 200, { basic: adminOf(world) }],
      ['GET', '/asset/nothing', 404],
      ['GET', '/asset/nothing/data', 404],
    ];
    for (const [method, url, status, options] of asked) {
      const answer = await call(method, url, options);
      expect([method, url, answer.status]).toEqual([method, url, status]);
      expectForCaller(answer, `${method} ${url}`);
    }
  });

  it('is private for files, and requires revalidation', async () => {
    const { token, name } = await world.user();
    const { id } = await stored(world, token, filePart('bytes'));
    const whole = await call('GET', `/file/${id}`, { token });
    const etag = String(whole.headers.etag);
    for (const answer of [
      whole,
      await call('HEAD', `/file/${id}`, { token }),
      await call('GET', `/file/${id}`, { token, headers: { 'if-none-match': etag } }),
      await call('GET', `/file/${id}`, { token, headers: { range: 'bytes=0-1' } }),
    ]) {
      expectForCaller(answer, String(answer.status), 'private, no-cache');
      expect(answer.headers).toMatchObject({ etag, 'bb-username': name });
    }
    for (const [headers, status] of [
      [{ 'if-match': '"other"' }, 412],
      [{ range: 'bytes=99-' }, 416],
    ] as const) {
      const answer = await call('GET', `/file/${id}`, { token, headers });
      expect([answer.status, answer.headers.etag]).toEqual([status, undefined]);
      expectForCaller(answer, String(status));
    }
  });

  describe('of an asset', () => {
    const origin = { origin: 'https://app.example' };
    let name: string;
    let callers: readonly CallOptions[];
    beforeAll(async () => {
      await setSettings(world, 'Images', { 'image.allowed.automatic.resize.formats': '25%' });
      name = await publishedImage(world, 'opaque.png');
      const { token } = await world.user();
      const basic = { basic: adminOf(world) };
      callers = [{ appCode: null }, { token }, basic, { token: 'stale' }, { token, headers: origin }];
    });

    const shared = ['', '/download', '/resize/25', '/resizeId/1', '/download/resize/25'] as const;
    const headOf = ({ 'x-request-id': _id, date: _date, ...rest }: Answer['headers']) => rest;

    async function expectSameForAll(method: string, path: string, condition: Readonly<Record<string, string>>) {
      const headers = await Promise.all(
        callers.map(async (one) => {
          const answer = await call(method, path, { ...one, headers: { ...one.headers, ...condition } });
          return { status: answer.status, ...headOf(answer.headers) };
        }),
      );
      expect(headers[0]).toMatchObject({ 'cache-control': 'public, max-age=300', etag: expect.any(String) });
      for (const own of ['bb-username', 'vary', 'x-bb-session']) expect(headers[0]).not.toHaveProperty(own);
      for (const one of headers) expect(one).toEqual(headers[0]);
    }

    it.each(shared)("is public (%s), with the same headers for everybody and without a user's name", async (path) => {
      const url = `/asset/${name}${path}`;
      const { etag } = (await call('GET', url)).headers;
      for (const condition of [{}, { 'if-none-match': String(etag) }, { range: 'bytes=0-3' }]) {
        for (const method of ['GET', 'HEAD']) await expectSameForAll(method, url, condition);
      }
    });

    it.each(shared)('is public (%s), but not for its failures', async (path) => {
      for (const [headers, status] of [
        [{ 'if-match': '"other"' }, 412],
        [{ range: 'bytes=9999999-' }, 416],
      ] as const) {
        const answer = await call('GET', `/asset/${name}${path}`, { headers });
        expect([answer.status, answer.headers.etag]).toEqual([status, undefined]);
        expectForCaller(answer, `${status} ${path}`);
      }
    });

    it('is public in a listed size, but not in one that only administrators may request', async () => {
      const answer = await call('GET', `/asset/${name}/resize/24/24`, { basic: adminOf(world) });
      expectForCaller(answer, 'resized', 'private, max-age=300');
    });

    it('is not allowed for a failure to read the bytes', async () => {
      const other = await publishedImage(world, 'opaque.png');
      const options = { olderThan: Number.POSITIVE_INFINITY, cursor: null, limit: 1_000 };
      for (const key of (await world.blobs.list(options)).keys) await world.blobs.remove(key);
      const answer = await call('GET', `/asset/${other}`);
      expect([answer.status, answer.headers.etag]).toEqual([500, undefined]);
      expectForCaller(answer, 'gone');
    });
  });
});
