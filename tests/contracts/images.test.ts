import { createImages, createSharpImages, createWasmImages, importSharp } from '@baobab/adapters/images';
import { decode, difference, fixture, imagesContract } from '@baobab/contracts/images';
import type { Images } from '@baobab/core';
import { afterAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../support/logger.ts';

const sharp = await importSharp();
/** Place and value in the header of a PNG. */
const [COLOUR_TYPE, INDEXED] = [25, 3];

imagesContract('wasm', (limits) => createWasmImages(limits));
// There is no such adapter on platforms without a binary.
if (sharp !== null) imagesContract('sharp', (limits) => createSharpImages(limits));
imagesContract('the installed adapters', (limits) => createImages(limits, silentLogger));

describe('images', () => {
  const limits = { maxPixels: 1_000_000, concurrency: 1 };
  const adapters: Images[] = [createWasmImages(limits), createImages(limits, silentLogger)];
  afterAll(() => Promise.all(adapters.map((images) => images.close())));

  // The WebAssembly codec writes all colours.
  if (sharp !== null) {
    it('keep the palette of a PNG', async () => {
      const resized = (await adapters[1]?.resize(fixture('palette.png'), { width: 24, height: 16 })) ?? [];
      expect(resized[COLOUR_TYPE]).toBe(INDEXED);
    });
  }

  it.each([
    ['baseline.jpg', 6],
    ['progressive.jpg', 6],
    ['grey.jpg', 3],
    ['opaque.png', 3],
    ['alpha.png', 3],
    ['hole.png', 3],
    ['palette.png', 3],
    ['interlaced.png', 3],
    ['grey16.png', 3],
    ['opaque.gif', 6],
    ['hole.gif', 6],
    ['animated.gif', 6],
    ['lossy.webp', 3],
    ['lossless.webp', 4],
    ['animated.webp', 5],
    ['alpha.webp', 4],
  ])('look the same with every adapter: %s', async (name, tolerance) => {
    for (const size of [
      { width: 24, height: 16 },
      { width: 50, height: 33 },
      { width: 130, height: 100 },
    ]) {
      const [a, b] = await Promise.all(
        adapters.map(async (images) => decode(await images.resize(fixture(name), size))),
      );
      if (a === undefined || b === undefined) throw new Error('this test needs two adapters');
      expect([size, difference(a, b)]).toEqual([size, expect.toSatisfy((mean: number) => mean < tolerance)]);
    }
  });
});
