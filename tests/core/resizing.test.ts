import { createMemoryBlobs } from '@baobab/adapters/memory';
import {
  type Actor,
  ANONYMOUS,
  AppError,
  blobKey,
  createResizing,
  type Gauge,
  type ImageSource,
  type Images,
  type LabelledCounts,
} from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { collect, textBytes } from '../support/blobs.ts';

const ADMIN: Actor = { ...ANONYMOUS, isAdmin: true };
const OWNER = '018f0000-0000-7000-8000-000000000001';
const LIST = '25% 50% <=80px';

const turn = () => new Promise((resolve) => setImmediate(resolve));
async function semaphore(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await turn();
}

/** Images that are resized when the test says so. */
function manualImages() {
  const waiting: Array<{ finish(): void; fail(error: Error): void }> = [];
  const images: Images = {
    inspect: () => ({ format: 'png', width: 400, height: 200 }),
    resize: (_bytes, { width, height }) =>
      new Promise((resolve, reject) =>
        waiting.push({ finish: () => resolve(Buffer.from(`${width}×${height}`)), fail: reject }),
      ),
    close: async () => undefined,
  };
  return { images, waiting };
}

async function setUp({ concurrency = 1, allowed = true, exists = true } = {}) {
  const blobs = createMemoryBlobs();
  const { images, waiting } = manualImages();
  const gauges: Array<Gauge | LabelledCounts> = [];
  const world = { exists, now: 0 };
  const values = {
    'image.allowed.automatic.resize.formats': LIST,
    'image.allows.automatic.resize': allowed,
  } as never;
  const resizing = createResizing({
    blobs,
    images,
    settings: { current: async () => values },
    resizingLimits: { concurrency, maxSide: 1000 },
    gauges: { add: (gauge) => gauges.push(gauge) },
    clock: { now: () => world.now },
  });
  await blobs.put(blobKey('assets', OWNER), textBytes('the original'));
  const source: ImageSource = {
    area: 'assets',
    owner: OWNER,
    contentType: 'image/png',
    size: 12,
    exists: async () => world.exists,
  };
  const open = async (format: string, actor: Actor = ADMIN) => {
    const image = await resizing.resized(actor, { format }, source);
    const content = await image.open();
    if (content === null) return null;
    return Buffer.from(content instanceof Uint8Array ? content : await collect(content.bytes)).toString();
  };
  return { blobs, resizing, source, waiting, open, world, gauges };
}

const failure = (code: string) => expect.objectContaining({ code });

describe('resizing', () => {
  it('is done once, and stored beside the original', async () => {
    const { open, waiting, blobs } = await setUp();
    const first = open('50%');
    await semaphore(5);
    waiting[0]?.finish();
    expect([await first, await open('50%'), waiting.length]).toEqual(['200×100', '200×100', 1]);
    expect(await blobs.stat(blobKey('assets', OWNER, 'percent-50'))).not.toBeNull();
  });

  it('is done once for all concurrent requests for the same size', async () => {
    const { open, waiting } = await setUp();
    const all = Promise.all(Array.from({ length: 50 }, () => open('50%')));
    await semaphore(5);
    expect(waiting).toHaveLength(1);
    waiting[0]?.finish();
    expect(new Set(await all)).toEqual(new Set(['200×100']));
  });

  it('is retried after a failure, which all waiting requests receive', async () => {
    const { open, waiting } = await setUp();
    const both = Promise.allSettled([open('50%'), open('50%')]);
    await semaphore(5);
    waiting[0]?.fail(new Error('broken'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const again = open('50%');
    await semaphore(5);
    waiting[1]?.finish();
    expect(await again).toBe('200×100');
  });

  it('does not retry for a minute when the image itself is invalid', async () => {
    const { open, waiting, world } = await setUp();
    const first = open('50%');
    await semaphore(5);
    waiting[0]?.fail(new AppError('image.unreadable'));
    await expect(first).rejects.toEqual(failure('image.unreadable'));
    world.now = 59_999;
    await expect(open('50%')).rejects.toEqual(failure('image.unreadable'));
    expect(waiting).toHaveLength(1);
    world.now = 60_000;
    const later = open('50%');
    await semaphore(5);
    waiting[1]?.finish();
    expect(await later).toBe('200×100');
  });

  it('retries immediately after a failure caused by other requests', async () => {
    const { open, waiting } = await setUp();
    const first = open('50%');
    await semaphore(5);
    waiting[0]?.fail(new AppError('image.busy'));
    await expect(first).rejects.toEqual(failure('image.busy'));
    const again = open('50%');
    await semaphore(5);
    waiting[1]?.finish();
    expect(await again).toBe('200×100');
  });

  it('runs a limited number at once and queues sixteen times as many; the rest is rejected', async () => {
    const { open, waiting, gauges } = await setUp({ concurrency: 2 });
    const all = Array.from({ length: 200 }, (_, i) => open(`${i + 1}-${i + 1}`));
    const settled = Promise.allSettled(all);
    await semaphore(5);
    expect(waiting).toHaveLength(2);
    expect(gauges.map(({ name, read }) => [name, read()])).toEqual([['images_waiting', 32]]);
    for (let done = 0; done < waiting.length; done++) {
      waiting[done]?.finish();
      await semaphore(5);
      expect(waiting.length - done).toBeLessThanOrEqual(3);
    }
    const outcomes = await settled;
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2 + 32);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toEqual(failure('image.busy'));
    }
  });

  it('leaves nothing behind when the original is removed meanwhile', async () => {
    const { open, waiting, blobs, world } = await setUp();
    const pending = open('50%');
    await semaphore(5);
    world.exists = false;
    await blobs.removeGroup(`assets/${OWNER}`);
    waiting[0]?.finish();
    expect(await pending).toBeNull();
    const { keys } = await blobs.list({ olderThan: Number.MAX_SAFE_INTEGER, cursor: null, limit: 10 });
    expect(keys).toEqual([]);
  });

  it('returns nothing when the original was removed, and fails when only its bytes are missing', async () => {
    const { open, blobs, world } = await setUp();
    await blobs.removeGroup(`assets/${OWNER}`);
    await expect(open('50%')).rejects.toEqual(failure('blobs.missing'));
    world.exists = false;
    expect(await open('50%')).toBeNull();
  });

  it('serves listed sizes to everybody, in any spelling, and other sizes to administrators', async () => {
    const { resizing, source } = await setUp();
    const ask = (actor: Actor, format: string) => resizing.resized(actor, { format }, source);
    expect(await ask(ANONYMOUS, '25%')).toMatchObject({ isForAll: true, variant: 'percent-25' });
    expect(await ask(ANONYMOUS, '050%')).toMatchObject({ isForAll: true, variant: 'percent-50' });
    expect(await ask(ADMIN, '51%')).toMatchObject({ isForAll: false, variant: 'percent-51' });
    for (const format of ['51%', '80-80', '<=81px']) {
      await expect(ask(ANONYMOUS, format)).rejects.toMatchObject({
        code: 'image.format_refused',
        message: expect.stringMatching(/: the list has 25%, 50%, <=80px$/),
      });
    }
    for (const format of ['0%', 'x', '<=1001px', '1001-1']) {
      await expect(ask(ADMIN, format)).rejects.toEqual(failure('image.format_invalid'));
    }
  });

  it('counts list entries from 0', async () => {
    const { resizing, source } = await setUp();
    const ask = (position: number) => resizing.resized(ANONYMOUS, { position }, source);
    expect([(await ask(0)).variant, (await ask(2)).variant]).toEqual(['percent-25', 'at-most-80']);
    for (const position of [-1, 3, 1.5, Number.NaN]) {
      await expect(ask(position)).rejects.toMatchObject({
        code: 'image.format_invalid',
        message: expect.stringMatching(/: the list has 25%, 50%, <=80px$/),
      });
    }
  });

  it('can be switched off, for administrators too', async () => {
    const { resizing, source } = await setUp({ allowed: false });
    await expect(resizing.resized(ADMIN, { format: '25%' }, source)).rejects.toEqual(failure('image.resize_off'));
  });

  it('is only for images that are small enough to decode', async () => {
    const { resizing, source } = await setUp();
    const ask = (other: Partial<ImageSource>) =>
      resizing.resized(ANONYMOUS, { format: '25%' }, { ...source, ...other });
    for (const contentType of ['text/html', 'application/image/png', '']) {
      await expect(ask({ contentType })).rejects.toEqual(failure('image.unreadable'));
    }
    for (const format of ['heic', 'heif', 'avif', 'tiff', 'bmp', 'svg+xml']) {
      const refused = await ask({ contentType: `image/${format}` }).catch((error) => error);
      expect(refused).toEqual(failure('image.format_unsupported'));
      expect(refused.message).toContain('JPEG, PNG, GIF and WebP');
    }
    expect(await ask({ contentType: 'image/apng' })).toMatchObject({ isForAll: true });
    await expect(ask({ size: 67_108_865 })).rejects.toEqual(failure('image.too_large'));
    expect(await ask({ size: 67_108_864, contentType: 'Image/JPEG; x=y' })).toMatchObject({ isForAll: true });
  });
});
