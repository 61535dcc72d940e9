import type { ImageSize, Images } from '@baobab/core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';
import { decode, formatOf, quadrants } from './decode.ts';
import { FLAWED, withOrientationType } from './flawed.ts';
import {
  emptyPng,
  expectQuadrants,
  fixture,
  HEIGHT,
  noisyPng,
  pngChunk,
  QUADRANTS,
  SEEN_QUADRANTS,
  WIDTH,
  withOrientation,
} from './pictures.ts';

/** Limits with which the suite opens an adapter. */
export interface ImageLimits {
  /** Maximum number of pixels of an image. Larger ones fail with `image.too_large`. */
  readonly maxPixels: number;
  /** Maximum number of images resized concurrently; an adapter without its own threads may ignore it. */
  readonly concurrency: number;
}

/** Creates an adapter. It is called several times in one run, and each adapter is closed. */
export type OpenImages = (limits: ImageLimits) => Images;

const MAX_PIXELS = 1_000_000;

const FIXTURES = [
  ['baseline.jpg', 'jpeg'],
  ['progressive.jpg', 'jpeg'],
  ['grey.jpg', 'jpeg'],
  ['cmyk.jpg', 'jpeg'],
  ['opaque.png', 'png'],
  ['alpha.png', 'png'],
  ['hole.png', 'png'],
  ['palette.png', 'png'],
  ['interlaced.png', 'png'],
  ['grey16.png', 'png'],
  ['opaque.gif', 'gif'],
  ['hole.gif', 'gif'],
  ['animated.gif', 'gif'],
  ['lossy.webp', 'webp'],
  ['lossless.webp', 'webp'],
  ['alpha.webp', 'webp'],
  ['animated.webp', 'webp'],
] as const;

/** Contract of every image adapter, regardless of its decoders and without exceptions. */
export function imagesContract(name: string, open: OpenImages): void {
  describe(`images contract: ${name}`, PATIENT, () => {
    let images: Images;
    beforeAll(() => {
      images = open({ maxPixels: MAX_PIXELS, concurrency: 2 });
    });
    afterAll(() => images.close());

    const resized = async (bytes: Uint8Array, size: ImageSize) => {
      const result = await images.resize(bytes, size);
      return { result, format: formatOf(result), picture: await decode(result) };
    };
    const failure = (code: string) => expect.objectContaining({ code });

    async function expectRefused(bytes: Uint8Array, code = 'image.unreadable'): Promise<void> {
      await expect(images.resize(new Uint8Array(bytes), { width: 10, height: 10 })).rejects.toEqual(failure(code));
    }

    it.each(FIXTURES)('reads format and size of %s', (file, format) => {
      expect(images.inspect(fixture(file))).toEqual({ format, width: WIDTH, height: HEIGHT });
    });

    it.each(FIXTURES)('resizes %s and keeps its format', async (file, format) => {
      for (const [width, height] of [
        [48, 32],
        [1, 1],
        [31, 7],
        [WIDTH, HEIGHT],
        [200, 150],
        [3, 300],
      ] as const) {
        const { format: kept, picture } = await resized(fixture(file), { width, height });
        expect([kept, picture.width, picture.height]).toEqual([format, width, height]);
      }
    });

    it.each(FIXTURES.filter(([file]) => !/grey|hole/.test(file)))('keeps the colours of %s', async (file) => {
      const { picture } = await resized(fixture(file), { width: 48, height: 32 });
      // In images with a horizontal alpha gradient, colours are visible only on the right.
      const shown = quadrants(picture).map(([r = 0, g = 0, b = 0]) => [r, g, b]);
      if (file.startsWith('alpha')) expectQuadrants([shown[1] ?? [], shown[3] ?? []], [QUADRANTS[1], QUADRANTS[3]]);
      // Programs differ in how they convert CMYK to RGB.
      else if (file !== 'cmyk.jpg') expectQuadrants(shown, QUADRANTS);
    });

    it.each([1, 2, 3, 4, 5, 6, 7, 8])('turns an image upright whose EXIF orientation is %d', async (orientation) => {
      const [width, height] = orientation >= 5 ? [HEIGHT, WIDTH] : [WIDTH, HEIGHT];
      const expected = (SEEN_QUADRANTS[orientation] ?? []).map((i) => [...(QUADRANTS[i] ?? [])]);
      for (const file of ['baseline.jpg', 'opaque.png', 'lossy.webp']) {
        for (const order of ['II', 'MM'] as const) {
          const turned = withOrientation(fixture(file), orientation, order);
          expect([file, images.inspect(turned)]).toEqual([file, expect.objectContaining({ width, height })]);
          const { picture } = await resized(turned, { width: width / 2, height: height / 4 });
          expect([picture.width, picture.height]).toEqual([width / 2, height / 4]);
          expectQuadrants(quadrants(picture), expected);
        }
      }
    });

    it('ignores an invalid orientation', async () => {
      for (const orientation of [0, 9, 65_535]) {
        const bytes = withOrientation(fixture('baseline.jpg'), orientation);
        expect(images.inspect(bytes)).toMatchObject({ width: WIDTH, height: HEIGHT });
        const { picture } = await resized(bytes, { width: 48, height: 32 });
        expectQuadrants(quadrants(picture), QUADRANTS);
      }
    });

    it('removes metadata, such as the place where a photograph was taken', async () => {
      const { result } = await resized(withOrientation(fixture('baseline.jpg'), 6), { width: 32, height: 48 });
      expect(Buffer.from(result).includes('Exif')).toBe(false);
    });

    it.each(['alpha.png', 'alpha.webp'])('keeps the transparency of %s', async (file) => {
      const { picture } = await resized(fixture(file), { width: 48, height: 32 });
      for (const [x, expected] of [
        [4, 24],
        [14, 77],
        [24, 130],
        [34, 183],
        [44, 236],
      ] as const) {
        const alpha = picture.data[(16 * 48 + x) * 4 + 3] ?? 0;
        expect([x, Math.abs(alpha - expected) < 12, alpha]).toEqual([x, true, alpha]);
      }
    });

    it.each(['hole.png', 'hole.gif'])(
      'keeps the transparent hole in %s, without colour bleeding from it',
      async (file) => {
        const { picture } = await resized(fixture(file), { width: 48, height: 32 });
        const pixel = (x: number, y: number) =>
          Array.from(picture.data.subarray((y * 48 + x) * 4, (y * 48 + x) * 4 + 4));
        expect(pixel(24, 16)[3]).toBe(0);
        expect(pixel(2, 2)[3]).toBe(255);
        // Next to the hole, the red of the quadrant must be unchanged.
        const beside = pixel(13, 11);
        expect(beside[0]).toBeGreaterThan(180);
      },
    );

    it.each(['hole.png', 'hole.gif'])('lets no colour bleed from the hole in %s when it enlarges', async (file) => {
      const { picture } = await resized(fixture(file), { width: 301, height: 203 });
      const { width, height, data } = picture;
      const bled: number[][] = [];
      for (let y = 0; y < height / 2 - 3; y++) {
        for (let x = 0; x < width / 2 - 3; x++) {
          const [r = 0, g = 0, b = 0, alpha = 0] = data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4);
          // Every visible pixel of the quadrant must be red.
          if (alpha >= 32 && (r < 160 || g > 100 || b > 100)) bled.push([x, y, r, g, b, alpha]);
        }
      }
      expect(bled).toEqual([]);
    });

    it('resizes the first frame of an animation', async () => {
      for (const file of ['animated.gif', 'animated.webp']) {
        const { picture } = await resized(fixture(file), { width: 48, height: 32 });
        expectQuadrants(
          quadrants(picture).map((colour) => colour.slice(0, 3)),
          QUADRANTS,
        );
      }
    });

    it('resizes the default frame of an animated PNG', async () => {
      const png = fixture('opaque.png');
      const animation = pngChunk('acTL', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]));
      const bytes = Buffer.concat([png.subarray(0, 33), animation, png.subarray(33)]);
      const { format, picture } = await resized(bytes, { width: 48, height: 32 });
      expect(format).toBe('png');
      expectQuadrants(quadrants(picture), QUADRANTS);
    });

    it.each(FIXTURES)('refuses a truncated %s', async (file) => {
      const whole = fixture(file);
      for (const part of [0.1, 0.5, 0.9]) {
        // Later frames of an animation are not decoded.
        if (file.startsWith('animated') && part > 0.5) continue;
        const cut = whole.slice(0, Math.floor(whole.length * part));
        // The header of a JPEG does not specify where its picture ends.
        if (!file.endsWith('.jpg')) expect(() => images.inspect(cut)).toThrow(failure('image.unreadable'));
        await expectRefused(cut);
      }
    });

    it.each(FLAWED)('reads past the flaws that browsers read past: %s', async (_flaw, bytes) => {
      expect(images.inspect(bytes)).toMatchObject({ width: WIDTH, height: HEIGHT });
      const { picture } = await resized(new Uint8Array(bytes), { width: 48, height: 32 });
      expectQuadrants(quadrants(picture), QUADRANTS);
    });

    it.each([1, 3, 4, 6, 8, 9])(
      'turns an image upright whose EXIF orientation is an integer of type %d',
      async (type) => {
        for (const order of ['II', 'MM'] as const) {
          for (const file of ['baseline.jpg', 'lossy.webp']) {
            const turned = withOrientationType(withOrientation(fixture(file), 6, order), type, order);
            expect(images.inspect(turned)).toMatchObject({ width: HEIGHT, height: WIDTH });
            const { picture } = await resized(turned, { width: 32, height: 48 });
            const expected = (SEEN_QUADRANTS[6] ?? []).map((i) => [...(QUADRANTS[i] ?? [])]);
            expectQuadrants(quadrants(picture), expected);
          }
        }
      },
    );

    it('refuses files that are not images', async () => {
      const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="9" height="9"/></svg>';
      for (const text of ['', 'x', svg, `<?xml version="1.0"?>${svg}`, '%PDF-1.4 …', 'BM'.padEnd(100, '\0')]) {
        expect(() => images.inspect(Buffer.from(text))).toThrow(failure('image.unreadable'));
        await expectRefused(Buffer.from(text));
      }
    });

    it('refuses a signature without an image', async () => {
      for (const signature of ['\xff\xd8\xff\xe0', '\x89PNG\r\n\x1a\n', 'GIF89a', 'RIFF\x64\0\0\0WEBPVP8 ']) {
        for (const filling of ['\0', '\x07', '\xff']) {
          await expectRefused(Buffer.from(signature.padEnd(120, filling), 'latin1'));
        }
      }
    });

    it('refuses an image whose pixel data is corrupt', async () => {
      const png = Buffer.concat([
        fixture('opaque.png').subarray(0, 33),
        pngChunk('IDAT', Buffer.from('this is not what deflate makes')),
        pngChunk('IEND', Buffer.alloc(0)),
      ]);
      expect(images.inspect(png)).toMatchObject({ width: WIDTH });
      await expectRefused(png);
    });

    it('survives broken images, and still resizes valid ones', async () => {
      const broken = fc
        .record({
          file: fc.constantFrom(...FIXTURES.map(([file]) => file)),
          changes: fc.array(fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.nat(255)), {
            minLength: 1,
            maxLength: 6,
          }),
        })
        .map(({ file, changes }) => {
          const bytes = fixture(file);
          for (const [place, value] of changes) bytes[Math.floor(place * bytes.length)] = value;
          return bytes;
        });
      await fc.assert(
        fc.asyncProperty(broken, async (bytes) => {
          const outcome = await images.resize(bytes, { width: 20, height: 10 }).then(
            (result) => ['an image', formatOf(result) !== 'unknown'],
            (error) => ['refused', ['image.unreadable', 'image.too_large'].includes(error.code)],
          );
          expect(outcome[1]).toBe(true);
        }),
        { numRuns: 60 },
      );
      const { picture } = await resized(fixture('baseline.jpg'), { width: 48, height: 32 });
      expectQuadrants(quadrants(picture), QUADRANTS);
    });

    it('refuses too many pixels by the header, before anything is decoded', async () => {
      for (const [width, height] of [
        [1001, 1000],
        [30_000, 30_000],
        [1, 1_000_001],
        [4_294_967_295, 4_294_967_295],
      ] as const) {
        expect(() => images.inspect(emptyPng(width, height))).toThrow(failure('image.too_large'));
        await expectRefused(emptyPng(width, height), 'image.too_large');
      }
      const jpeg = Buffer.from(fixture('baseline.jpg'));
      const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
      jpeg.writeUInt16BE(60_000, frame + 5);
      jpeg.writeUInt16BE(60_000, frame + 7);
      await expectRefused(jpeg, 'image.too_large');
      const gif = Buffer.from(fixture('opaque.gif'));
      gif.writeUInt16LE(65_535, 6);
      gif.writeUInt16LE(65_535, 8);
      await expectRefused(gif, 'image.too_large');
    });

    it('refuses contradictory headers', async () => {
      const gif = Buffer.from(fixture('opaque.gif'));
      const picture = gif.indexOf(Buffer.from([0x2c, 0, 0, 0, 0, WIDTH, 0, HEIGHT, 0]));
      gif.writeUInt16LE(65_535, picture + 5);
      gif.writeUInt16LE(65_535, picture + 7);
      await expectRefused(gif, 'image.too_large'); // browsers enlarge the canvas to the frame
      const webp = Buffer.from(fixture('alpha.webp'));
      webp.writeUIntLE(9, 24, 3);
      await expectRefused(webp);
      await expectRefused(emptyPng(0, 10));
      const png = fixture('opaque.png');
      await expectRefused(Buffer.concat([png.subarray(0, 33), png.subarray(8)]));
      const jpeg = fixture('baseline.jpg');
      const frame = Buffer.from(jpeg).indexOf(Buffer.from([0xff, 0xc0]));
      const again = jpeg.subarray(frame, frame + 19);
      await expectRefused(Buffer.concat([jpeg.subarray(0, frame), again, jpeg.subarray(frame)]));
    });

    it('resizes many images at once without mixing them up', async () => {
      const files = FIXTURES.flatMap(([file]) => [file, file]);
      const results = await Promise.all(
        files.map((file, i) => resized(fixture(file), { width: 20 + i, height: 60 - i })),
      );
      expect(results.map(({ picture }) => [picture.width, picture.height])).toEqual(
        files.map((_file, i) => [20 + i, 60 - i]),
      );
    });

    it('does not block the event loop', async () => {
      const big = noisyPng(1_000, 1_000);
      let semaphore = 0;
      let done = false;
      const resizing = images.resize(big, { width: 400, height: 400 }).finally(() => {
        done = true;
      });
      for (; !done; semaphore++) await new Promise((resolve) => setImmediate(resolve));
      expect(formatOf(await resizing)).toBe('png');
      // An adapter that works on the event loop yields between its steps.
      expect(semaphore).toBeGreaterThan(50);
    });

    it('refuses to resize after close', async () => {
      const other = open({ maxPixels: MAX_PIXELS, concurrency: 1 });
      await other.resize(fixture('opaque.png'), { width: 5, height: 5 });
      await other.close();
      await other.close();
      await expect(other.resize(fixture('opaque.png'), { width: 5, height: 5 })).rejects.toEqual(failure('image.busy'));
    });
  });
}
