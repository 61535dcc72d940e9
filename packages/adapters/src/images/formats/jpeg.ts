import type jimpJpeg from '@jimp/wasm-jpeg';
import decodeJpeg, { init as initDecoder } from '@jsquash/jpeg/decode.js';
import encodeJpeg, { init as initEncoder } from '@jsquash/jpeg/encode.js';
import type { ImageHeader } from '../header/bytes.ts';
import type { Picture } from '../picture.ts';
import { JPEG_QUALITY } from '../quality.ts';
import { once, readModule } from './module.ts';
import { type Pixels, pictureOf, pixelsOf } from './pixels.ts';

const CMYK_CHANNELS = 4;
/** Bytes per CMYK pixel that Jimp's JPEG decoder in JavaScript needs, rounded up. */
const CMYK_BYTES_PER_PIXEL = 48;

/**
 * Decodes CMYK with Jimp's default JPEG format, because mozjpeg cannot. Only this imports `jimp`, which takes 100 ms.
 */
async function decodeCmyk(bytes: Buffer, { width, height }: ImageHeader): Promise<Picture> {
  const { defaultFormats } = await import('jimp');
  const jpeg = defaultFormats.map((create) => create()).find((format) => format.mime === 'image/jpeg');
  if (jpeg === undefined) throw new Error('Jimp has no JPEG format');
  return jpeg.decode(bytes, {
    tolerantDecoding: false,
    maxMemoryUsageInMB: 64 + (width * height * CMYK_BYTES_PER_PIXEL) / 1_000_000,
    maxResolutionInMP: Number.POSITIVE_INFINITY, // the header is already checked
  });
}

/**
 * Replaces `@jimp/wasm-jpeg`, with the same codec started once per thread. Jimp's restarts the codec for each image,
 * fetches it from a `file:` URL, which fails in Node, and ignores missing data.
 */
export function createJpeg() {
  let complaints: string[] = [];
  const printErr = (line: string) => {
    complaints.push(line);
  };
  const decoder = once(async () =>
    initDecoder({ wasmBinary: await readModule('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'), printErr }),
  );
  const encoder = once(async () =>
    initEncoder({ wasmBinary: await readModule('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm') }),
  );

  return {
    mime: 'image/jpeg',
    hasAlpha: true, // the encoder drops alpha, so pixels need no blending first
    async decode(bytes: Buffer, header?: ImageHeader): Promise<Picture> {
      if (header?.channels === CMYK_CHANNELS) return decodeCmyk(bytes, header);
      await decoder();
      complaints = [];
      const pixels = await decodeJpeg(bytes as unknown as ArrayBuffer);
      // The decoder fills missing data with grey and only prints a warning.
      const complaint = complaints.find((line) => /premature end/i.test(line));
      if (complaint !== undefined) throw new Error(complaint);
      return pictureOf(pixels as Pixels);
    },
    async encode(picture: Picture): Promise<Buffer> {
      await encoder();
      const pixels = pixelsOf(picture) as Parameters<typeof encodeJpeg>[0];
      return Buffer.from(await encodeJpeg(pixels, { quality: JPEG_QUALITY }));
    },
  } as const satisfies ReturnType<typeof jimpJpeg>;
}
