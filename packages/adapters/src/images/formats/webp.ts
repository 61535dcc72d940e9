import type jimpWebp from '@jimp/wasm-webp';
import decodeWebp, { init as initDecoder } from '@jsquash/webp/decode.js';
import encodeWebp, { init as initEncoder } from '@jsquash/webp/encode.js';
import type { ImageHeader, WebpFrame } from '../header/bytes.ts';
import { CHANNELS, createPicture, type Picture } from '../picture.ts';
import { WEBP_QUALITY } from '../quality.ts';
import { once, readModule } from './module.ts';
import { type Pixels, pictureOf, pixelsOf } from './pixels.ts';

const RIFF_HEADER = 12;
const EXTENDED_CHUNK = 18;

/** Returns the first frame of an animation as a separate WebP, because the decoder cannot read animations. */
function still(bytes: Uint8Array, { start, end, width, height }: WebpFrame): Buffer {
  const chunks = bytes.subarray(start, end);
  const file = Buffer.alloc(RIFF_HEADER + EXTENDED_CHUNK + chunks.length);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WEBPVP8X', 8, 'latin1');
  file.writeUInt32LE(10, 16);
  file[20] = 0x10; // there may be alpha
  file.writeUIntLE(width - 1, 24, 3);
  file.writeUIntLE(height - 1, 27, 3);
  file.set(chunks, RIFF_HEADER + EXTENDED_CHUNK);
  return file;
}

function onCanvas(picture: Picture, { width, height }: ImageHeader, { x, y }: WebpFrame): Picture {
  if (picture.width === width && picture.height === height) return picture;
  const canvas = createPicture(width, height);
  const rowBytes = picture.width * CHANNELS;
  for (let row = 0; row < picture.height; row++) {
    const line = picture.data.subarray(row * rowBytes, (row + 1) * rowBytes);
    canvas.data.set(line, ((y + row) * width + x) * CHANNELS);
  }
  return canvas;
}

/**
 * Replaces `@jimp/wasm-webp`, with the same codec started once per thread. Jimp's restarts the codec for each image,
 * fetches it from a `file:` URL, which fails in Node, and cannot decode animations, of which this one decodes the first
 * frame.
 */
export function createWebp() {
  const decoder = once(async () =>
    initDecoder({ wasmBinary: await readModule('@jsquash/webp/codec/dec/webp_dec.wasm') }),
  );
  const encoder = once(async () =>
    initEncoder({ wasmBinary: await readModule('@jsquash/webp/codec/enc/webp_enc_simd.wasm') }),
  );

  return {
    mime: 'image/webp',
    hasAlpha: true,
    async decode(bytes: Buffer, header?: ImageHeader): Promise<Picture> {
      await decoder();
      const frame = header?.frame;
      const file = frame === undefined ? bytes : still(bytes, frame);
      const picture = pictureOf((await decodeWebp(file as unknown as ArrayBuffer)) as Pixels);
      return header === undefined || frame === undefined ? picture : onCanvas(picture, header, frame);
    },
    async encode(picture: Picture): Promise<Buffer> {
      await encoder();
      const pixels = pixelsOf(picture) as Parameters<typeof encodeWebp>[0];
      return Buffer.from(await encodeWebp(pixels, { quality: WEBP_QUALITY }));
    },
  } as const satisfies ReturnType<typeof jimpWebp>;
}
