import { createSharpImages, createWasmImages, importSharp } from '@baobab/adapters/images';
import { decode } from '@baobab/contracts/images';
import type { Images } from '@baobab/core';
import { createTestBackend } from '@baobab/server/testing';
import { describe, expect, it } from 'vitest';
import { publishedImage } from '../support/assets.ts';
import { createWorld } from '../support/backend.ts';

const LIMITS = { maxPixels: 1_000_000, concurrency: 2, maxSide: 1000 };
const CROWD = 200;
/** Those that run and those that wait: sixteen for each. */
const SERVED = LIMITS.concurrency * 17;

const sharp = await importSharp();
const ADAPTERS: Readonly<Record<string, () => Images>> = {
  wasm: () => createWasmImages(LIMITS),
  ...(sharp === null ? {} : { sharp: () => createSharpImages(LIMITS) }),
};

/** Counts concurrent resizes. */
function counting(images: Images) {
  const seen = { running: 0, most: 0 };
  const counted: Images = {
    ...images,
    async resize(bytes, size) {
      seen.running++;
      seen.most = Math.max(seen.most, seen.running);
      try {
        return await images.resize(bytes, size);
      } finally {
        seen.running--;
      }
    },
  };
  return { images: counted, seen };
}

describe.each(Object.entries(ADAPTERS))('200 sizes at once, resized by %s', (_name, open) => {
  it('run two at a time, and wait up to the limit; the rest is told to retry', async () => {
    const { images, seen } = counting(open());
    const backend = await createTestBackend({ images, imageLimits: LIMITS });
    try {
      const world = createWorld(backend);
      const name = await publishedImage(world, 'baseline.jpg');
      const token = await world.admin();
      const side = (i: number) => 10 + i;
      const answers = await Promise.all(
        Array.from({ length: CROWD }, (_, i) =>
          world.call('GET', `/asset/${name}/resize/${side(i)}/${side(i)}`, { token }),
        ),
      );
      const made = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status === 503);
      expect([made.length, refused.length, seen.most]).toEqual([SERVED, CROWD - SERVED, LIMITS.concurrency]);
      for (const { headers, body } of refused) expect([headers['retry-after'], body.http_code]).toEqual(['1', 503]);
      for (const [i, { status, bytes }] of answers.entries()) {
        if (status === 200) expect((await decode(bytes)).width).toBe(side(i));
      }
      // Retries are served, and existing variants are not made again.
      const again = await Promise.all(
        Array.from({ length: SERVED }, (_, i) =>
          world.call('GET', `/asset/${name}/resize/${side(CROWD - 1 - i)}/${side(CROWD - 1 - i)}`, { token }),
        ),
      );
      expect(again.every(({ status }) => status === 200)).toBe(true);
    } finally {
      await backend.close();
    }
  });
});
