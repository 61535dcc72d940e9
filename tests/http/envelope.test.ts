import { METHODS } from 'node:http';
import { describe, expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { routesOf } from '../support/routes.ts';

/** `CONNECT` never becomes a request: see `robustness.test.ts`. */
const SERVED = ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'];

onEveryStorage('every answer', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);

  it('to a failed request has the envelope, the CORS headers, a request id and a date', async () => {
    const { create, path, owner } = await createShelf(world);
    const { id } = await create({});
    const failures = [
      [400, await call('GET', '/user', { appCode: 'wrong' })],
      [400, await call('POST', '/user', { body: '{' })],
      [401, await call('GET', '/user')],
      [403, await call('GET', path(id))],
      [404, await call('GET', '/nowhere')],
      [405, await call('PATCH', '/user', { body: {} })],
      [413, await call('POST', '/user', { body: 'x'.repeat(1_048_577) })],
      [415, await call('POST', '/user', { body: 'x', headers: { 'content-type': 'text/plain' } })],
      [404, await call('GET', `/nowhere?X-BB-SESSION=${owner.token}`)],
    ] as const;
    for (const [status, answer] of failures) {
      expectFailure(answer, status, [owner.token, world.backend.appCode]);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'x-request-id': expect.stringMatching(/^[\w.:-]+$/),
        'x-content-type-options': 'nosniff',
        'content-type': 'application/json; charset=utf-8',
        date: expect.stringMatching(/GMT$/),
      });
    }
  });

  it('to a successful request has them too', async () => {
    const { token, name } = await world.user();
    const { headers } = await call('GET', '/user', { token });
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'x-request-id': expect.any(String),
      'x-content-type-options': 'nosniff',
      'bb-username': name,
      date: expect.any(String),
    });
  });

  it('tells pages of other origins which headers they may read', async () => {
    const { token } = await world.user();
    const headers = { origin: 'https://app.example' };
    for (const answer of [
      await call('GET', '/user', { token, headers }),
      await call('GET', '/user', { headers }),
      await call('GET', '/%zz', { headers }),
    ]) {
      expect(answer.headers['access-control-expose-headers']).toContain('X-BB-SESSION');
    }
    const exposed = String((await call('GET', '/user', { token, headers })).headers['access-control-expose-headers']);
    for (const name of ['Content-Disposition', 'ETag', 'Content-Range', 'Accept-Ranges', 'Content-Length', 'X-BB-MORE'])
      expect(exposed.split(', ')).toContain(name);
    expect((await call('GET', '/user', { token })).headers).not.toHaveProperty('access-control-expose-headers');
  });

  it('repeats harmless request headers in a failure, and only the names of others', async () => {
    const secrets = {
      'X-SERVICE-APPCODE': 'secret-1',
      'X-BAASBOX-APPCODE': 'secret-2',
      'X-BB-SESSION': 'secret-3',
      Authorization: 'Basic secret-4',
      Cookie: 'a=secret-5',
      'Proxy-Authorization': 'secret-6',
      'X-Api-Key': 'secret-7',
      'X-Auth-Token': 'secret-8',
      'X-Forwarded-Access-Token': 'secret-9',
      'X-Amzn-Oidc-Data': 'secret-10',
      'Idempotency-Key': 'secret-11',
      Referer: 'https://app.example/?X-BB-SESSION=secret-12',
      'X-Nobody-Knows': 'secret-13',
    };
    const harmless = {
      accept: 'application/json',
      'user-agent': 'a client',
      origin: 'https://app.example',
      'x-request-id': 'abc',
      'x-requested-with': 'XMLHttpRequest',
    };
    const { text, body, status } = await call('GET', '/user', { headers: { ...secrets, ...harmless } });
    expectFailure({ text, status }, 400, ['secret-']);
    const hidden = Object.keys(secrets).map((name) => [name.toLowerCase(), ['***']]);
    const shown = Object.entries(harmless).map(([name, value]) => [name, [value]]);
    expect(body.request_header).toMatchObject(Object.fromEntries([...hidden, ...shown]));
  });

  it('to a failed request contains the method and the path without the query', async () => {
    const { body } = await call('DELETE', '/user?X-BB-SESSION=the-token&a=1');
    expect(body).toMatchObject({ resource: '/user', method: 'DELETE', http_code: 405 });
  });

  it('repeats call_id, whatever it contains', async () => {
    const { token } = await world.user();
    for (const id of ['7', '', 'a"b\\c', '</script>', 'é😀', '__proto__']) {
      const query = `?call_id=${encodeURIComponent(id)}`;
      expect((await call('GET', `/user${query}`, { token })).body.call_id).toBe(id);
      expect((await call('GET', `/user${query}`)).body.call_id).toBe(id);
      expect((await call('GET', `/nowhere${query}`)).body.call_id).toBe(id);
      expect((await call('POST', `/user${query}`, { body: '{' })).body.call_id).toBe(id);
    }
    expect((await call('GET', '/user', { token })).body).not.toHaveProperty('call_id');
  });

  it('tolerates duplicate query parameters', async () => {
    const { token } = await world.user();
    const { status } = await call('GET', `/user?call_id=1&call_id=2&X-BB-SESSION=a&X-BB-SESSION=b`, { token });
    expect(status).toBe(200);
    expectFailure(await call('GET', '/user?X-SERVICE-APPCODE=a&X-SERVICE-APPCODE=b', { appCode: null }), 400);
  });

  it('carries the request id of a proxy, unless it is invalid', async () => {
    const idFor = async (id: string) =>
      (await call('GET', '/health/live', { headers: { 'x-request-id': id } })).headers['x-request-id'];
    expect(await idFor('abc-1.2:3')).toBe('abc-1.2:3');
    for (const unfit of ['', 'a b', '"', 'x'.repeat(65), '<b>']) expect(await idFor(unfit)).not.toBe(unfit);
  });

  it('gives every request an id of its own', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => call('GET', '/health/live')));
    expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(50);
  });
});

onEveryStorage('methods', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  const fill = (path: string) => path.replace(/:[A-Za-z]+/g, 'x');

  it('that a path does not support are 405, with the supported ones in Allow', async () => {
    for (const { path } of await routesOf(world.backend.app)) {
      const answer = await call('QUERY', fill(path), { body: {} });
      expectFailure(answer, 405);
      const allowed = String(answer.headers.allow).split(', ');
      expect(allowed.length).toBeGreaterThan(0);
      for (const method of ['QUERY', 'TRACE', 'OPTIONS']) expect(allowed).not.toContain(method);
    }
  });

  it('are named in Allow exactly when they are supported', async () => {
    const { headers } = await call('QUERY', '/document/a/b');
    expect(headers.allow).toBe('DELETE, GET, HEAD, PATCH, PUT');
    expect((await call('PATCH', '/login')).headers.allow).toBe('POST');
  });

  it.each(METHODS.filter((method) => !SERVED.includes(method)))('are not supported: %s', async (method) => {
    expectFailure(await call(method, '/user'), 405);
    expectFailure(await call(method, '/asset/x'), 405);
    expectFailure(await call(method, '/nowhere'), 404);
  });

  it.each([
    ['of another media type', 'x', 'text/plain'],
    ['that is not JSON', '{', 'application/json'],
    ['that is too large', 'x'.repeat(1_048_577), 'application/json'],
  ])('that are not supported are rejected before a body %s is read', async (_what, body, type) => {
    for (const method of ['PATCH', 'QUERY', 'PROPFIND']) {
      const options = { body, headers: { 'content-type': type } };
      expectFailure(await call(method, '/user', options), 405);
      expectFailure(await call(method, '/nowhere', options), 404);
    }
  });

  it('include HEAD, which answers as GET does without a body', async () => {
    const { token } = await world.user();
    const { status, text } = await call('HEAD', '/user', { token });
    expect([status, text]).toEqual([200, '']);
    expect((await call('HEAD', '/user')).status).toBe(401);
  });

  describe('OPTIONS', () => {
    it('lets a browser request every route, without credentials', async () => {
      for (const { path, methods } of await routesOf(world.backend.app)) {
        for (const method of methods) {
          const headers = {
            origin: 'https://app.example.com',
            'access-control-request-method': method,
            'access-control-request-headers': 'x-bb-session,x-service-appcode,content-type',
          };
          const answer = await call('OPTIONS', fill(path), { appCode: null, headers });
          expect([answer.status, answer.text]).toEqual([204, '']);
          expect(answer.headers['access-control-allow-origin']).toBe('*');
          expect(String(answer.headers['access-control-allow-methods']).split(', ')).toContain(method);
          expect(answer.headers['access-control-allow-headers']).toContain('x-bb-session');
        }
      }
    });

    it('needs no credentials outside a preflight either', async () => {
      for (const options of [{ appCode: null }, { appCode: 'wrong' }, { token: 'stale' }]) {
        expect((await call('OPTIONS', '/user', options)).status).toBe(204);
      }
    });
  });
});
