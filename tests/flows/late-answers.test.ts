import { createMemoryBlobs } from '@baobab/adapters/memory';
import type { Blobs } from '@baobab/core';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { createDatabase } from '../support/databases.ts';
import { createLatch, pause, until } from '../support/patience.ts';
import { startProxy } from '../support/proxy.ts';
import { startUpload } from '../support/slow-upload.ts';
import { connected, exchange, head, openSocket } from '../support/sockets.ts';

/** Idle timeout of a connection. Milliseconds. */
const SHORT_MS = 2_000;
/** Longer than any pause of moving bytes in this test. */
const LONG_MS = 4_000;
const MIB = 1_048_576;

const overdue = expect.stringContaining('The server could not respond in time');

describe('a request without a timely answer', () => {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function open(options: Parameters<typeof createTestBackend>[0]) {
    const backend: TestBackend = await createTestBackend(options);
    cleanups.push(() => backend.close());
    const world: World = createWorld(backend);
    const { token } = await world.user();
    const port = await openSocket(backend.app);
    return { backend, world, token, port, headers: { 'x-service-appcode': backend.appCode, 'x-bb-session': token } };
  }

  it('is 503 before its connection is cut, whatever the database does', async () => {
    const database = await createDatabase();
    cleanups.push(() => database.drop());
    const url = new URL(database.url);
    const proxy = await startProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    cleanups.push(() => proxy.cut());
    const { backend, world, port, headers } = await open({ databaseUrl: url.href });
    const stranger = Buffer.from('stranger:secret').toString('base64');
    const collection = await world.collection();
    backend.app.server.timeout = SHORT_MS;
    proxy.freeze();
    const body = '{"a":1}';
    const withBody = { ...headers, 'content-type': 'application/json', 'content-length': body.length };
    const answers = await Promise.all([
      exchange(port, head('GET', `/document/${collection}`, headers)),
      exchange(port, head('POST', `/document/${collection}`, withBody) + body),
      exchange(port, head('GET', '/me', { 'x-service-appcode': backend.appCode, authorization: `Basic ${stranger}` })),
    ]);
    for (const { status, headers, text } of answers) {
      expect([status, headers.get('retry-after'), headers.get('connection')]).toEqual([503, '1', 'close']);
      expect(JSON.parse(text)).toMatchObject({ result: 'error', message: overdue, http_code: 503 });
    }
  });

  it('is 503 when the blob store stops accepting an upload', async () => {
    const release = createLatch();
    cleanups.push(async () => release.open());
    const memory = createMemoryBlobs();
    const hanging: Blobs = {
      ...memory,
      async put(_key, bytes) {
        for await (const _piece of bytes) await release.opened;
        throw new Error('the test should not have reached this');
      },
    };
    const { backend, token, port } = await open({ blobStore: hanging });
    backend.app.server.timeout = SHORT_MS;
    const upload = await startUpload(port, { size: 64 * MIB, token, appCode: backend.appCode });
    let answer = '';
    upload.socket.on('data', (text) => {
      answer += text;
    });
    void upload.send(64 * MIB);
    await until(() => answer.includes('\r\n\r\n'));
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
  });

  it('gets no answer when it is the client that stalls', async () => {
    const { backend, token, port } = await open({});
    backend.app.server.timeout = SHORT_MS;
    const upload = await startUpload(port, { size: MIB, token, appCode: backend.appCode });
    let answer = '';
    upload.socket.on('data', (text) => {
      answer += text;
    });
    await upload.send(1000);
    await until(() => upload.socket.destroyed);
    expect(answer).toBe('');
    const silent = await connected(port);
    silent.resume();
    await until(() => silent.destroyed);
  });

  it('is answered normally while bytes move, however slowly', async () => {
    const { backend, token, port, headers } = await open({});
    backend.app.server.timeout = LONG_MS;
    const upload = await startUpload(port, { size: MIB, token, appCode: backend.appCode });
    for (const begun = performance.now(); performance.now() - begun < 2 * LONG_MS; ) {
      await upload.send(1000);
      await pause(50);
    }
    await upload.send(MIB);
    await upload.endFile();
    expect(await upload.finish()).toContain(' 201 ');
    expect((await exchange(port, head('GET', '/me', headers))).status).toBe(200);
  });
});
