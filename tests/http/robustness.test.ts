import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { expectStatus } from '../support/people.ts';
import { connected, exchange, head, openSocket, send } from '../support/sockets.ts';

/** More than the buffers of a connection. */
const LARGE = 'x'.repeat(20_000_000);

onEveryStorage('requests', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);

  describe('bodies', () => {
    it.each([
      ['nothing', ''],
      ['half an object', '{"username":'],
      ['no JSON', 'username=ann&password=x'],
      ['a trailing comma', '{"username":"ann","password":"x",}'],
      ['two values', '{} {}'],
      ['single quotes', "{'username':'ann'}"],
      ['a comment', '{/* */}'],
      ['NaN', '{"username":NaN}'],
      ['a byte order mark only', '\uFEFF'],
      ['a number', '7'],
      ['null', 'null'],
      ['an array', '[{"username":"ann","password":"x"}]'],
      ['100,000 levels of arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
      ['40,000 levels of objects', `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`],
      ['80,000 levels without an end', '[{"a":'.repeat(40_000)],
      ['a name that is an array', '{"username":["ann"],"password":"x"}'],
      ['U+0000 in the name', '{"username":"a\\u0000","password":"x"}'],
      ['a lone surrogate in the name', '{"username":"a\\ud800","password":"x"}'],
      ['a name that JavaScript inherits', '{"__proto__":{"username":"ann","password":"x"}}'],
      ['a section with U+0000', '{"username":"ann","password":"x","visibleByTheUser":{"a":"\\u0000"}}'],
      ['a section with a lone surrogate', '{"username":"ann","password":"x","visibleByTheUser":{"\\udfff":1}}'],
    ])('with %s are 400 at sign-up', async (_what, body) => {
      expectFailure(await call('POST', '/user', { body }), 400);
    });

    it('may begin with a byte order mark', async () => {
      const { collection, owner } = await createShelf(world);
      const body = '\uFEFF{"b":1,"1":2}';
      const { data } = await expectStatus(
        world.call('POST', `/document/${collection}`, { body, token: owner.token }),
        200,
      );
      expect(data).toMatchObject({ b: 1, 1: 2 });
      const path = `/document/${collection}/${data.id}`;
      const patch = {
        token: owner.token,
        body: '\uFEFF{"b":3}',
        headers: { 'content-type': 'application/merge-patch+json' },
      };
      expect((await expectStatus(world.call('PATCH', path, patch), 200)).data).toMatchObject({ b: 3 });
    });

    it('with U+0000 in a password or a device are 400 at login', async () => {
      const { name } = await world.user();
      expectFailure(await call('POST', '/login', { body: { username: name, password: '\0' } }), 400);
      const login_data = '{"os":"ios","deviceId":"a\\u0000"}';
      expectFailure(await call('POST', '/login', { form: { username: name, password: 'secret', login_data } }), 400);
    });

    it.each([
      ['a form field', { form: { username: 'a\0b', password: 'x' } }, 400],
      ['a JSON field', { body: { username: 'a\0b', password: 'x' } }, 400],
    ])('with U+0000 in the user name, in %s, are rejected at login', async (_what, options, status) => {
      expectFailure(await call('POST', '/login', options), status);
    });

    it('of other media types are 415', async () => {
      const { collection, owner } = await createShelf(world);
      for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'nonsense', '*/*']) {
        const headers = { 'content-type': type };
        const answer = await call('POST', `/document/${collection}`, { body: '{}', token: owner.token, headers });
        expectFailure(answer, 415, [owner.token]);
        expect(answer.body.message).toBe('The media type of the body is not supported here');
      }
    });

    it('of JSON under its usual media types are read', async () => {
      const { collection, owner } = await createShelf(world);
      for (const type of ['application/json', 'application/json;charset=UTF-8', 'Application/JSON; charset="utf-8"']) {
        const headers = { 'content-type': type };
        const answer = await call('POST', `/document/${collection}`, { body: '{"é":1}', token: owner.token, headers });
        expect([answer.status, answer.data.é]).toEqual([200, 1]);
      }
    });

    it('are ignored where none is expected', async () => {
      const { collection, owner } = await createShelf(world);
      const options = { token: owner.token, headers: { 'content-type': 'application/json' } };
      expect((await call('GET', `/document/${collection}`, options)).status).toBe(200);
      expect((await call('POST', '/logout', options)).status).toBe(200);
    });
  });

  describe('paths', () => {
    it.each([
      ['U+0000 as a collection', 'GET', '/document/%00'],
      ['U+0000 as a collection to count', 'GET', '/document/a%00b/count'],
      ['U+0000 as a device', 'POST', '/logout/a%00b'],
      ['U+0000 in the query', 'GET', '/document/nowhere?call_id=%00'],
      ['invalid UTF-8', 'GET', '/document/%ff?X-BB-SESSION=the-token'],
      ['truncated UTF-8', 'GET', '/document/%e2%82'],
      ['an encoded surrogate', 'GET', '/document/%ed%a0%80'],
      ['U+0000 as a grantee', 'PUT', '/document/a/018f0000-0000-7000-8000-000000000000/read/user/%00'],
    ])('with %s are 400', async (_what, method, url) => {
      const { token } = await world.user();
      expectFailure(await call(method, url, { token }), 400, [token, 'the-token']);
    });

    it.each([
      ['a parameter of 4,000 characters', `/document/${'x'.repeat(4000)}`],
      ['a thousand parts', `/document${'/x'.repeat(1000)}`],
      ['a lone %', '/document/50%'],
      ['% and one digit', '/document/50%2'],
      ['% and no digits', '/document/%zz'],
      ['raw brackets', '/document/a[0]'],
      ['raw braces, quotes and bars', `/document/{"a"|'b'}`],
      ['dots', '/document/../../etc/passwd'],
      ['encoded dots and slashes', '/document/..%2f..%2fetc%2fpasswd'],
      ['no route', '/nothing/here'],
      ['the names of JavaScript properties', '/__proto__/constructor'],
    ])('with %s are 404', async (_what, path) => {
      const { token } = await world.user();
      const port = await portOf(world);
      const headers = { 'x-service-appcode': world.backend.appCode, 'x-bb-session': token };
      expectFailure(await send(port, { method: 'GET', path, headers, body: undefined }), 404, [token]);
    });
  });

  it('with a parameter of 12,000 characters are 414', async () => {
    const path = `/document/${'x'.repeat(12_000)}?X-BB-SESSION=the-token`;
    const answer = await send(await portOf(world), { method: 'GET', path, headers: {}, body: undefined });
    expectFailure(answer, 414, ['the-token']);
  });

  describe('credentials', () => {
    it('with U+0000 are 401', async () => {
      for (const basic of [
        ['a\0b', 'x'],
        ['admin', 'x\0'],
      ] as const) {
        expectFailure(await call('GET', '/user', { basic }), 401);
      }
    });

    it.each(['', ' ', 'x'.repeat(44), 'é', `${'A'.repeat(43)}=`, '__proto__', '\u0080'])(
      'with the token "%s" are rejected',
      async (token) => {
        const { status } = await call('GET', '/user', { headers: { 'x-bb-session': token } });
        expect(status).toBe(401);
      },
    );

    it('are rejected when one character differs', async () => {
      const { token } = await world.user();
      for (let at = 0; at < token.length; at++) {
        const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
        expect((await call('GET', '/user', { token: changed })).status).toBe(401);
      }
    });
  });

  const ports = new WeakMap<object, Promise<number>>();
  function portOf({ backend }: World): Promise<number> {
    const known = ports.get(backend.app) ?? openSocket(backend.app);
    ports.set(backend.app, known);
    return known;
  }

  describe('connections', () => {
    let port: number;
    beforeAll(async () => {
      port = await portOf(world);
    });
    const json = { 'content-type': 'application/json' };
    const code = () => ({ 'x-service-appcode': world.backend.appCode });

    it('that end in the middle of a request affect no others', async () => {
      const { collection, owner, ids } = await createShelf(world);
      const credentials = { ...code(), 'x-bb-session': owner.token, 'content-type': 'application/json' };
      const whole = `${head('POST', `/document/${collection}`, { ...credentials, 'content-length': 10 })}{"a":12345`;
      for (let length = 1; length < whole.length; length += 7) {
        const socket = await connected(port);
        socket.end(whole.slice(0, length));
        socket.destroy();
      }
      expect((await exchange(port, head('GET', '/health/ready'))).status).toBe(200);
      expect(await ids({ token: owner.token })).toEqual([]);
    });

    it.each([
      ['no HTTP', 'hello there\r\n\r\n', 400],
      ['an unknown version', 'GET / HTTP/9.9\r\nhost: x\r\n\r\n', 400],
      ['a space in the path', head('GET', '/a b'), 400],
      ['two lengths', 'POST /login HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', 400],
      ['a length and chunks', head('POST', '/login', { 'content-length': 5, 'transfer-encoding': 'chunked' }), 400],
      ['an invalid chunk', `${head('POST', '/login', { ...json, 'transfer-encoding': 'chunked' })}zz\r\n`, 400],
      ['an invalid chunk and no type', `${head('POST', '/login', { 'transfer-encoding': 'chunked' })}zz\r\n`, 400],
      ['CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nhost: example.org\r\n\r\n', 405],
      ['a header of 100,000 characters', head('GET', '/health/live', { x: 'x'.repeat(100_000) }), 431],
      ['100,000 characters of path', head('GET', `/${'x'.repeat(100_000)}`), 431],
    ])('with %s get the envelope', async (_what, bytes, status) => {
      const answer = await exchange(port, bytes);
      expectFailure(answer, status);
      if (status === 431) expect(answer.text).toMatch(/16 KB.*POST …\/query/);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('x-request-id')).toMatch(/\S/);
    });

    it.each([
      ['two hosts', 'Host: x\r\nHost: y'],
      ['the same host twice', 'Host: x\r\nhOST: x'],
      ['no host', 'Accept: */*'],
      ...[
        '',
        'a b',
        'a,b c',
        'http://x',
        'x/y',
        'user@x',
        'x:y',
        'x:123456',
        '[::1',
        '[zz]',
        '[:::]',
        '%zz',
        'ü',
        'x?',
      ].map((host): [string, string] => [`the host "${host}"`, `Host: ${host}`]),
    ])('with %s are 400', async (_what, lines) => {
      for (const target of ['GET /health/live', 'GET /nowhere', 'OPTIONS /user', 'GET http://x/health/live']) {
        const answer = await exchange(port, `${target} HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`);
        expectFailure(answer, 400);
        expect(answer.headers.get('connection')).toBe('close');
      }
    });

    it.each(['x', 'example.com', 'my_service.local:9000', '127.0.0.1:80', '[::1]', '[2001:db8::1]:443', 'a%20b', 'x:'])(
      'with the host %s are served',
      async (host) => {
        expect((await exchange(port, head('GET', '/health/live', { host }))).status).toBe(200);
      },
    );

    it('of HTTP/1.0 need no host', async () => {
      expect((await exchange(port, 'GET /health/live HTTP/1.0\r\n\r\n')).status).toBe(200);
    });

    it('that announce a body above the limit are answered with 413 before it is sent', async () => {
      const { token } = await world.user();
      const headers = { ...code(), 'x-bb-session': token, 'content-type': 'application/json' };
      const bytes = head('POST', '/document/x', { ...headers, 'content-length': 2_000_000_000 });
      expectFailure(await exchange(port, bytes), 413, [token]);
    });

    it.each([
      ['announced', { 'content-length': LARGE.length }, LARGE],
      ['in one chunk', { 'transfer-encoding': 'chunked' }, `${LARGE.length.toString(16)}\r\n${LARGE}\r\n0\r\n\r\n`],
    ])('with a body above the limit, %s, leave the connection of a proxy open', async (_what, length, body) => {
      const headers = { ...code(), connection: 'keep-alive', 'content-type': 'application/json', ...length };
      const { text } = await exchange(port, head('POST', '/user', headers) + body + head('GET', '/health/live'));
      expect(text).toContain('"input.too_large"');
      expect(text).toContain('HTTP/1.1 200');
    });
  });

  afterAll(() => expect(world.backend.app.server.listening).toBe(true));
});
