import { constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type CallOptions, createWorld, type World } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { filePart, multipart } from '../support/files.ts';
import { until } from '../support/patience.ts';
import { connected, exchange, head, openSocket } from '../support/sockets.ts';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MIB = 2 ** 20;
const MAX = MIB;
const ACCEPTED = 'gzip, deflate';

const CODINGS = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
] as const;

function expectCode(answer: Answer, status: number, code: string): void {
  expectFailure(answer, status);
  expect(answer.body.code).toBe(code);
}

/** 1 GiB of zeros in one gzip stream without an end. It has 1 MB. */
function gzipBomb(): Buffer {
  const zeros = deflateRawSync(Buffer.alloc(16 * MIB), { finishFlush: constants.Z_FULL_FLUSH });
  const header = gzipSync('').subarray(0, 10);
  return Buffer.concat([header, ...Array.from({ length: 64 }, () => zeros)]);
}

describe('compressed request bodies', () => {
  let backend: TestBackend;
  let world: World;
  let shelf: Awaited<ReturnType<typeof createShelf>>;
  let path: string;
  let port: number;
  beforeAll(async () => {
    backend = await createTestBackend({ maxJsonBytes: MAX });
    world = createWorld(backend);
    port = await openSocket(backend.app);
    shelf = await createShelf(world);
    path = `/document/${shelf.collection}`;
  });
  afterAll(() => backend.close());

  function post(
    url: string,
    coding: string,
    payload: Buffer,
    { headers, ...options }: CallOptions = {},
    type = JSON_TYPE,
  ) {
    const { token } = shelf.owner;
    return world.call('POST', url, {
      token,
      bytes: { type, payload },
      ...options,
      headers: { 'content-encoding': coding, ...headers },
    });
  }
  const documents = async () => (await world.call('GET', path, { token: shelf.owner.token })).data.length;

  describe.each(CODINGS)('in %s', (coding, compress) => {
    it('are stored as their text, whatever the case of the name', async () => {
      const sent = { title: 'Ä'.repeat(50_000), price: 9.25 };
      for (const name of [coding, coding.toUpperCase()]) {
        const { status, data } = await post(path, name, compress(JSON.stringify(sent)));
        expect([status, data]).toEqual([200, expect.objectContaining(sent)]);
      }
    });

    it('may be forms', async () => {
      const { name } = await world.user();
      const form = compress(`username=${name}&password=secret`);
      const { status, data } = await post('/login', coding, form, { token: undefined }, FORM_TYPE);
      expect([status, data.user.name]).toEqual([200, name]);
    });

    it('may be batches', async () => {
      const operations = [1, 2].map((n) => ({ method: 'POST', path, body: { n } }));
      const { status, data } = await post('/batch', coding, compress(JSON.stringify({ operations })));
      expect([status, data.length]).toEqual([200, 2]);
    });

    it('may be criteria', async () => {
      const { id } = await shelf.create({ coding });
      const { data } = await post(`${path}/query`, coding, compress(JSON.stringify({ where: `coding='${coding}'` })));
      expect(data.map((found: { id: string }) => found.id)).toEqual([id]);
    });

    it('have the same idempotency key as their text', async () => {
      const headers = { 'idempotency-key': `key-${coding}` };
      const before = await documents();
      const first = await post(path, coding, compress('{"once":1}'), { headers });
      const plain = await world.call('POST', path, { body: '{"once":1}', token: shelf.owner.token, headers });
      expect([first.status, plain.status, plain.headers['idempotency-replayed']]).toEqual([200, 200, 'true']);
      expect(plain.data.id).toBe(first.data.id);
      expectCode(await post(path, coding, compress('{"once":2}'), { headers }), 422, 'idempotency.mismatch');
      expect(await documents()).toBe(before + 1);
    });

    it('are 400 if they are cut off, corrupt, something else, or go on after their end', async () => {
      const before = await documents();
      const whole = compress(JSON.stringify({ text: Array.from({ length: 500 }, (_, n) => n * 7919).join() }));
      const corrupt = Buffer.from(whole);
      corrupt.fill(0xff, whole.length >> 1, (whole.length >> 1) + 8);
      for (const payload of [
        whole.subarray(0, -1),
        whole.subarray(0, whole.length >> 1),
        whole.subarray(0, 1),
        corrupt,
        Buffer.from('{"text":"plain"}'),
        Buffer.concat([whole, Buffer.from('{}')]),
        Buffer.concat([whole, Buffer.from([0])]),
        Buffer.concat([whole, Buffer.alloc(100_000)]),
      ]) {
        expectCode(await post(path, coding, payload), 400, 'input.encoding_invalid');
      }
      expect(await documents()).toBe(before);
    });

    it('are 413 above the limit of the route, and may have exactly that size', async () => {
      const jsonOf = (size: number) => compress(`"${'a'.repeat(size - 2)}"`);
      const { id } = await shelf.create({});
      const field = (size: number) =>
        world.call('PUT', `${shelf.path(id)}/.a`, {
          token: shelf.owner.token,
          bytes: { type: JSON_TYPE, payload: jsonOf(size) },
          headers: { 'content-encoding': coding },
        });
      expectCode(await field(MAX + 1), 413, 'input.too_large');
      expectCode(await field(MAX), 400, 'field.data_missing'); // was read to its end
      expectCode(await post(`${path}/query`, coding, jsonOf(MAX + 1)), 413, 'input.too_large');
      expectCode(await post('/batch', coding, jsonOf(4 * MAX + 1)), 413, 'input.too_large');
      expectCode(await post('/batch', coding, jsonOf(4 * MAX)), 400, 'batch.invalid');
    });

    it('are decompressed for authorized callers only', async () => {
      const broken = Buffer.from('broken');
      expectCode(await post('/admin/role/x', coding, broken, { token: undefined }), 401, 'auth.required');
      expectCode(await post('/admin/role/x', coding, broken), 403, 'admin.required');
      expectCode(await post(path, coding, broken, { token: 'unknown' }), 401, 'session.invalid');
    });

    it('may be empty, as others may', async () => {
      expectCode(await post(path, coding, Buffer.alloc(0)), 400, 'input.empty');
      expectCode(await post(path, coding, compress('')), 400, 'input.empty');
    });
  });

  it('may consist of several gzip members (RFC 1952), and may be called x-gzip', async () => {
    const payload = Buffer.concat([gzipSync('{"a":'), gzipSync('1}')]);
    expect((await post(path, 'x-gzip', payload)).data).toMatchObject({ a: 1 });
  });

  it('are plain without a content coding by name', async () => {
    for (const coding of ['identity', '']) {
      expect((await post(path, coding, Buffer.from('{"a":1}'))).status).toBe(200);
    }
  });

  it.each([
    'br',
    'zstd',
    'compress',
    'gzip, gzip',
    'gzip,br',
    'deflate, identity',
    'utf-8',
    '__proto__',
    'x'.repeat(50),
  ])('in other codings are 415 with the accepted ones (%s)', async (coding) => {
    const before = await documents();
    for (const type of [JSON_TYPE, FORM_TYPE]) {
      const url = type === JSON_TYPE ? path : '/login';
      const answer = await post(url, coding, zstdCompressSync('{"a":1}'), {}, type);
      expectCode(answer, 415, 'input.encoding_unsupported');
      expect(answer.headers['accept-encoding']).toBe(ACCEPTED);
    }
    expect(await documents()).toBe(before);
  });

  it('in two headers are 415', async () => {
    const body = gzipSync('{"a":1}');
    const request = head('POST', path, {
      'x-service-appcode': backend.appCode,
      'x-bb-session': shelf.owner.token,
      'content-type': JSON_TYPE,
      'content-length': body.length,
      'content-encoding': 'gzip\r\nContent-Encoding: gzip',
    });
    const { status, headers } = await exchange(port, Buffer.concat([Buffer.from(request), body]));
    expect([status, headers.get('accept-encoding')]).toEqual([415, ACCEPTED]);
  });

  it('of another media type are 415 without a list of codings, which would not help', async () => {
    const answer = await post(path, 'gzip', gzipSync('a'), {}, 'text/plain');
    expectCode(answer, 415, 'media_type.unsupported');
    expect(answer.headers).not.toHaveProperty('accept-encoding');
  });

  it('are decompressed only for callers who are known, or who have sent the application code before the body', async () => {
    const { name } = await world.user();
    const form = `username=${name}&password=secret&appcode=${backend.appCode}`;
    const asked = { token: undefined, appCode: null };
    const login = await world.call('POST', '/login', {
      appCode: null,
      bytes: { type: FORM_TYPE, payload: Buffer.from(form) },
    });
    expect(login.status).toBe(200);
    expectCode(await post('/login', 'gzip', gzipSync(form), asked, FORM_TYPE), 400, 'app_code.invalid');
    const page = await post('/user/password/reset/x', 'gzip', gzipSync('password=a'), asked, FORM_TYPE);
    expectCode(page, 415, 'input.encoding_unsupported');
    expect(page.headers['accept-encoding']).toBe('identity');
    expect((await post(path, 'gzip', gzipSync('{"a":1}'), { appCode: null })).status).toBe(200);
  });

  it('wait for their turn, and are 503 beyond a short queue', async () => {
    const bomb = gzipSync(Buffer.alloc(4 * MAX, ' '));
    const answers = await Promise.all(Array.from({ length: 200 }, () => post('/batch', 'gzip', bomb)));
    const refused = answers.filter(({ status }) => status === 503);
    for (const answer of refused) {
      expectCode(answer, 503, 'service.bodies_busy');
      expect(answer.headers['retry-after']).toBe('1');
    }
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(200 - 4);
    expect((await post(path, 'gzip', gzipSync('{"a":1}'))).status).toBe(200);
  });

  it('that are multipart forms are 415, and nothing is stored', async () => {
    const { type, payload } = multipart(filePart('content'));
    const admin = await world.admin();
    for (const [url, list, token] of [
      ['/file', '/file/details', shelf.owner.token],
      ['/admin/asset', '/admin/asset', admin],
    ] as const) {
      const answer = await post(url, 'gzip', gzipSync(payload), { token }, type);
      expectCode(answer, 415, 'input.encoding_unsupported');
      expect(answer.headers['accept-encoding']).toBe('identity');
      expect((await world.call('GET', list, { token })).data).toEqual([]);
    }
    expect((await post('/file', 'identity', payload, {}, type)).status).toBe(201);
  });

  it('that are bombs are refused before they are decompressed to their end', async () => {
    const bomb = gzipBomb();
    expect(bomb.length).toBeLessThan(MAX);
    const before = process.resourceUsage().maxRSS;
    // Its end is missing, which is 400 once it has been reached.
    expectCode(await post(path, 'gzip', bomb), 413, 'input.too_large');
    expectCode(await post('/batch', 'gzip', bomb), 413, 'input.too_large');
    const zeros = gzipSync(Buffer.alloc(16 * MIB));
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(path, 'gzip', zeros)));
    for (const answer of answers) expectCode(answer, 413, 'input.too_large');
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(512 * 1024); // KiB
  });

  it('that never arrive completely end with their connection, and change nothing', async () => {
    const before = await documents();
    backend.app.server.timeout = 500; // of connections from now on
    const socket = await connected(port);
    socket.resume();
    const body = gzipSync('{"a":1}');
    const headers = {
      'x-service-appcode': backend.appCode,
      'x-bb-session': shelf.owner.token,
      'content-type': JSON_TYPE,
      'content-encoding': 'gzip',
      'content-length': body.length,
    };
    socket.write(Buffer.concat([Buffer.from(head('POST', path, headers)), body.subarray(0, -1)]));
    await until(() => socket.destroyed);
    expect(await documents()).toBe(before);
  });
});
