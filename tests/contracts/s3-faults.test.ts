import { createS3Blobs, type S3Limits } from '@baobab/adapters/s3';
import { type Blobs, blobKey } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect, noise, s3Options, textBytes } from '../support/blobs.ts';
import { type FaultyProxy, type SeenRequest, startFaultyProxy } from '../support/faulty-proxy.ts';
import { freePort } from '../support/ports.ts';

const KEY = blobKey('files', '018f0000-0000-7000-8000-000000000001');
const MIB = 1_048_576;
const IMPATIENT: Partial<S3Limits> = { connect: 300, answer: 700, idle: 700 };

const isPart = ({ method, url }: SeenRequest) => method === 'PUT' && url.includes('partNumber=');
const isAbort = ({ method, url }: SeenRequest) => method === 'DELETE' && url.includes('uploadId=');

describe('S3 under faults', () => {
  let proxy: FaultyProxy;
  let blobs: Blobs;
  let impatient: Blobs;
  let direct: Blobs;

  beforeEach(async () => {
    const options = s3Options();
    if (options.endpoint === null) throw new Error('fault injection needs a server with an endpoint');
    proxy = await startFaultyProxy(options.endpoint);
    blobs = createS3Blobs({ ...options, endpoint: proxy.url });
    impatient = createS3Blobs({ ...options, endpoint: proxy.url, limits: IMPATIENT });
    direct = createS3Blobs(options);
  });
  afterEach(async () => {
    await direct.removeGroup('files/018f0000-0000-7000-8000-000000000001');
    await Promise.all([blobs, impatient, direct].map((one) => one.close()));
    await proxy.close();
  });

  const unavailable = { code: 'blobs.unavailable' };
  const attempts = (blobs: Blobs) => [
    blobs.put(KEY, textBytes('x')),
    blobs.get(KEY),
    blobs.stat(KEY),
    blobs.remove(KEY),
    blobs.removeGroup('files/a'),
    blobs.list({ olderThan: 1, cursor: null, limit: 1 }),
    blobs.removeUnfinished(1),
    blobs.health(),
  ];

  async function expectAllUnavailable(of: Blobs): Promise<void> {
    const results = await Promise.allSettled(attempts(of));
    expect(results).toEqual(results.map(() => ({ status: 'rejected', reason: expect.objectContaining(unavailable) })));
  }

  it.each([500, 503])('retries requests answered with %s, and gives up in the end', async (status) => {
    let left = 2;
    proxy.behave(() => (left-- > 0 ? { kind: 'answer', status } : null));
    expect(await blobs.put(KEY, textBytes('second try'))).toMatchObject({ size: 10 });
    proxy.behave(() => ({ kind: 'answer', status }));
    await expectAllUnavailable(blobs);
  });

  it('gives up on a server that does not answer or does not exist', async () => {
    proxy.behave(() => ({ kind: 'silence' }));
    const began = performance.now();
    await expectAllUnavailable(impatient);
    expect(performance.now() - began).toBeLessThan(15_000);
    const unauthorized = createS3Blobs({
      ...s3Options(),
      endpoint: `http://127.0.0.1:${await freePort()}`,
      limits: IMPATIENT,
    });
    await expect(unauthorized.health()).rejects.toMatchObject(unavailable);
    await expect(unauthorized.get(KEY)).rejects.toMatchObject(unavailable);
    await unauthorized.close();
  });

  it.each(['cut', 'stall'] as const)(
    'throws when an answer is truncated (%s), and never ends early silently',
    async (kind) => {
      await direct.put(KEY, noise(2 * MIB));
      proxy.behave(() => ({ kind, after: MIB }));
      const content = await impatient.get(KEY);
      await expect(collect(content?.bytes ?? textBytes())).rejects.toMatchObject(unavailable);
    },
  );

  it('aborts the multipart upload when one of its parts fails', async () => {
    let parts = 0;
    proxy.behave((request) => (isPart(request) && ++parts > 1 ? { kind: 'answer', status: 500 } : null));
    await expect(blobs.put(KEY, noise(20 * MIB))).rejects.toMatchObject(unavailable);
    expect(proxy.seen.filter(isAbort)).toHaveLength(1);
    expect(await direct.stat(KEY)).toBeNull();
  });

  it('aborts the multipart upload when its sender disconnects', async () => {
    const gone = new Error('gone');
    async function* leaving() {
      yield* noise(12 * MIB);
      throw gone;
    }
    await expect(blobs.put(KEY, leaving())).rejects.toBe(gone);
    const created = proxy.seen.filter(({ method, url }) => method === 'POST' && /[?&]uploads\b/.test(url));
    expect([created.length, proxy.seen.filter(isAbort).length]).toEqual([1, 1]);
    expect(await direct.stat(KEY)).toBeNull();
  });

  it('destroys the source stream when it fails', async () => {
    let ended = false;
    async function* endless() {
      try {
        for (;;) yield Buffer.alloc(MIB);
      } finally {
        ended = true;
      }
    }
    proxy.behave((request) => (isPart(request) ? { kind: 'answer', status: 500 } : null));
    await expect(blobs.put(KEY, endless())).rejects.toMatchObject(unavailable);
    expect(ended).toBe(true);
  });

  it('reports a wrong bucket or wrong credentials immediately', async () => {
    for (const status of [400, 401, 403, 404]) {
      const before = proxy.seen.length;
      proxy.behave(() => ({ kind: 'answer', status }));
      await expect(blobs.health()).rejects.toMatchObject({ code: 'blobs.misconfigured' });
      expect(proxy.seen.length - before).toBe(1); // not retried
    }
    const missing = createS3Blobs({ ...s3Options(), bucket: 'no-such-bucket-here' });
    await expect(missing.health()).rejects.toThrow(/no-such-bucket-here.*there is no such bucket/);
    await missing.close();
  });
});
