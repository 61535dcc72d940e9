import type { Socket } from 'node:net';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Bodies } from '../../packages/http/src/callers/memory.ts';
import { createWorld, type World } from '../support/backend.ts';
import { filePart, multipart } from '../support/files.ts';
import { until } from '../support/patience.ts';
import { connected, head, openSocket } from '../support/sockets.ts';

const MIB = 2 ** 20;
/** Each arrives but for its last byte. A batch may have 4 MiB, and one caller may use 32 MiB. */
const BODY = 4 * MIB;
const SHARE = 8;

describe('the memory for bodies', () => {
  let backend: TestBackend;
  let world: World;
  let port: number;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    backend = await createTestBackend();
    world = createWorld(backend);
    port = await openSocket(backend.app);
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await backend.close();
  });

  const bodiesOf = ({ app }: TestBackend): Bodies => app.bodies;
  const held = () => bodiesOf(backend).bytes;

  /** Sends a body without its last byte. Resolves to the text of the answer, once there is one. */
  async function begin(token: string | null, body: Buffer, path = '/batch') {
    const socket = await connected(port);
    sockets.push(socket);
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
    });
    const headers = {
      'x-service-appcode': backend.appCode,
      'content-type': 'application/json',
      'content-length': body.length,
      ...(token !== null && { 'x-bb-session': token }),
    };
    socket.write(head('POST', path, headers));
    socket.write(body.subarray(0, -1));
    return { socket, answer: () => answer, finish: () => socket.write(body.subarray(-1)) };
  }

  /** Sends bodies without their last bytes. One after another: several at the limit would all be refused. */
  async function fill(token: string | null, count: number, size: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const wanted = held() + size;
      await begin(token, Buffer.alloc(size, ' '));
      await until(() => held() >= wanted);
    }
  }

  const post = (token: string | undefined, size: number) =>
    world.call('POST', '/batch', { token, body: ' '.repeat(size - 2).concat('{}') });

  it('is shared by callers: one who takes a quarter of it is refused more', async () => {
    const [one, other] = [await world.user(), await world.user()];
    await fill(one.token, SHARE, BODY);
    const refused = await post(one.token, MIB);
    expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([
      503,
      'service.bodies_busy',
      '1',
    ]);
    expect(held()).toBeLessThan(44 * MIB);
    // Small bodies and other callers.
    expect((await post(one.token, 1_000)).status).toBe(400);
    expect((await post(other.token, MIB)).status).toBe(400);
    expect((await post(undefined, MIB / 8)).status).toBe(400);
    const { payload, type } = multipart(
      { name: 'attachedData', content: `{"a":"${'x'.repeat(100_000)}"}` },
      filePart('x'),
    );
    const upload = (token: string) => world.call('POST', '/file', { token, bytes: { payload, type } });
    expect((await upload(one.token)).body.code).toBe('service.bodies_busy');
    expect((await upload(other.token)).status).toBe(201);

    for (const socket of sockets) socket.destroy();
    await until(() => held() === 0);
    expect((await post(one.token, MIB)).status).toBe(400);
  });

  it('is limited for all callers together', async () => {
    for (let caller = 0; caller < 4; caller++) await fill((await world.user()).token, SHARE, BODY);
    const { token } = await world.user();
    expect((await post(token, MIB)).body.code).toBe('service.bodies_busy');
    expect((await post(token, 1_000)).status).toBe(400);
    expect(held()).toBeLessThan(140 * MIB);
  });

  it('is separate for strangers, whose bodies are smaller', async () => {
    expect((await post(undefined, MIB / 4)).status).toBe(400);
    const refused = await post(undefined, MIB / 4 + 1);
    expect([refused.status, refused.body.code]).toEqual([413, 'input.too_large']);
    await fill(null, 32, MIB / 4);
    expect((await post(undefined, MIB / 8)).body.code).toBe('service.bodies_busy');
    expect((await post(undefined, 1_000)).status).toBe(400);
    expect(held()).toBeLessThan(9 * MIB);
    const { token } = await world.user();
    expect((await post(token, MIB)).status).toBe(400);
  });

  it('includes what is parsed, until the answer is sent', async () => {
    const { token } = await world.user();
    const list = Buffer.from(`[${'[],'.repeat(MIB / 3 - 2)}[]]`);
    const { answer, finish } = await begin(token, list, '/login');
    await until(() => held() >= MIB);
    let most = 0;
    const bodies = bodiesOf(backend);
    const { holdParsed } = bodies;
    bodies.holdParsed = (...args) => {
      holdParsed(...args);
      most = held();
    };
    finish();
    await until(() => answer() !== '');
    expect(most).toBeGreaterThan(20 * MIB);
    await until(() => held() === 0);
  });

  it('is released when a request is answered, refused, or its client goes', async () => {
    const { token } = await world.user();
    for (const body of ['{}', '[', `[${'[],'.repeat(10_000)}[]]`]) {
      const padded = `${' '.repeat(100_000)}${body}`;
      for (const path of ['/batch', '/login', '/document/none', '/nowhere']) {
        await world.call('POST', path, { token, body: padded });
      }
    }
    await until(() => held() === 0);
    // Several on one connection: their answers are queued.
    const socket = await connected(port);
    sockets.push(socket);
    const headers = { connection: 'keep-alive', 'x-service-appcode': backend.appCode, 'x-bb-session': token };
    const body = `${' '.repeat(50_000)}{"password":"x","username":"x"}`;
    const login = head('POST', '/login', {
      ...headers,
      'content-type': 'application/json',
      'content-length': body.length,
    });
    socket.write(`${login}${body}`.repeat(20));
    await until(() => held() > 0);
    socket.destroy();
    await until(() => held() === 0);
  });

  it('does not grow with the number of chunks in which a body arrives', async () => {
    const { token } = await world.user();
    const socket = await connected(port);
    sockets.push(socket);
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
    });
    const headers = { 'x-service-appcode': backend.appCode, 'x-bb-session': token, 'transfer-encoding': 'chunked' };
    socket.write(head('POST', '/batch', { ...headers, 'content-type': 'application/json' }));
    const size = 100_000;
    socket.write('1\r\n \r\n'.repeat(size));
    await until(() => held() >= size);
    expect(held()).toBeLessThan(3 * size);
    socket.write('2\r\n{}\r\n0\r\n\r\n');
    await until(() => answer.includes('batch.invalid'));
    await until(() => held() === 0);
  });
});
