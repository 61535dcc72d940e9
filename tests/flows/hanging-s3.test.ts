import { createS3Blobs, type S3Limits } from '@baobab/adapters/s3';
import { type Blobs, blobKey } from '@baobab/core';
import { createTestBackend } from '@baobab/server/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld } from '../support/backend.ts';
import { collect, noise, textBytes } from '../support/blobs.ts';
import { filePart, stored, upload } from '../support/files.ts';
import { pause } from '../support/patience.ts';
import { startOwnS3 } from '../support/s3-server.ts';

const MIB = 1_048_576;
const FOREVER_MS = 3_600_000;
/** Whole requests have a timeout, their attempts have none. Milliseconds. */
const LIMITS: S3Limits = {
  connect: FOREVER_MS,
  answer: FOREVER_MS,
  idle: FOREVER_MS,
  request: 4_000,
  part: 4_000,
  finish: 5_000,
  attempts: 3,
};
const KEY = blobKey('files', '018f0000-0000-7000-8000-000000000002');

/** Like a suspended process: it accepts connections, and does not answer. */
describe('an S3 server that hangs', () => {
  let server: Awaited<ReturnType<typeof startOwnS3>>;
  let blobs: Blobs;

  beforeEach(async () => {
    server = await startOwnS3();
    const url = new URL(server.place.url);
    const { accessKeyId, secretAccessKey } = server.place;
    blobs = createS3Blobs({
      bucket: url.hostname,
      prefix: '',
      endpoint: url.searchParams.get('endpoint'),
      region: 'us-east-1',
      credentials: { accessKeyId, secretAccessKey },
      limits: LIMITS,
    });
  });
  afterEach(async () => {
    server.goOn();
    await blobs.close();
    await server.stop();
  });

  it('fails every call, and serves again when it resumes', async () => {
    await blobs.put(KEY, textBytes('x'));
    server.hang();
    const calls = [
      blobs.put(KEY, textBytes('y')),
      blobs.put(KEY, noise(12 * MIB)),
      blobs.get(KEY),
      blobs.stat(KEY),
      blobs.remove(KEY),
      blobs.removeGroup('files/018f0000-0000-7000-8000-000000000002'),
      blobs.list({ olderThan: 1, cursor: null, limit: 1 }),
      blobs.removeUnfinished(1),
      blobs.health(),
    ];
    const failed = { status: 'rejected', reason: expect.objectContaining({ code: 'blobs.unavailable' }) };
    expect(await Promise.allSettled(calls)).toEqual(calls.map(() => failed));
    server.goOn();
    expect(await blobs.put(KEY, textBytes('back'))).toMatchObject({ size: 4 });
  });

  it('fails an upload midway', async () => {
    async function* stopping() {
      yield* noise(7 * MIB);
      server.hang();
      yield* noise(20 * MIB);
    }
    await expect(blobs.put(KEY, stopping())).rejects.toMatchObject({ code: 'blobs.unavailable' });
  });

  it('has no timeout while bytes arrive', async () => {
    async function* slow() {
      for (let n = 0; n < 2; n++) {
        yield* noise(4 * MIB);
        await pause(1.5 * LIMITS.part);
      }
    }
    expect(await blobs.put(KEY, slow())).toMatchObject({ size: 8 * MIB });
    const content = await blobs.get(KEY);
    let read = 0;
    for await (const piece of content?.bytes ?? textBytes()) {
      if (read === 0) await pause(1.5 * LIMITS.request);
      read += piece.length;
    }
    expect(read).toBe(8 * MIB);
    expect((await collect((await blobs.get(KEY))?.bytes ?? textBytes())).length).toBe(8 * MIB);
  });

  it('makes uploads and downloads 503, and delays no removal', async () => {
    const backend = await createTestBackend({ blobStore: blobs });
    const world = createWorld(backend);
    const { token } = await world.user();
    const { id } = await stored(world, token, filePart('hello'));
    server.hang();
    const answers = await Promise.all([
      upload(world, token, filePart('lost')),
      world.call('GET', `/file/${id}`, { token }),
    ]);
    expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
      [503, '1'],
      [503, '1'],
    ]);
    // The file is gone with its row; its bytes are swept later.
    expect((await world.call('DELETE', `/file/${id}`, { token })).status).toBe(200);
    server.goOn();
    expect((await world.call('GET', `/file/${id}`, { token })).status).toBe(404);
    await backend.close();
  });
});
