import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import decodeWebp, { init } from '@jsquash/webp/decode.js';
import jpegJs from 'jpeg-js';
import { GifReader } from 'omggif';
import { PNG } from 'pngjs';

/** A decoded image. */
export interface Decoded {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, alpha. */
  readonly data: Uint8Array;
}

const webpDecoder = () => {
  const path = fileURLToPath(import.meta.resolve('@jsquash/webp/codec/dec/webp_dec.wasm'));
  return init({ wasmBinary: readFileSync(path) });
};
let openedWebp: ReturnType<typeof webpDecoder> | null = null;

/** Returns the format by its signature, named as in MIME types; `unknown` if it is none of the four. */
export function formatOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (text.startsWith('\x89PNG')) return 'png';
  if (text.startsWith('GIF8')) return 'gif';
  return text.startsWith('RIFF') && text.endsWith('WEBP') ? 'webp' : 'unknown';
}

async function decodedWebp(bytes: Uint8Array): Promise<Decoded> {
  openedWebp ??= webpDecoder();
  await openedWebp;
  const { width, height, data } = await decodeWebp(Uint8Array.from(bytes).buffer);
  return { width, height, data: new Uint8Array(data) };
}

function decodedGif(bytes: Uint8Array): Decoded {
  const reader = new GifReader(Buffer.from(bytes));
  const { width, height } = reader;
  const data = new Uint8Array(width * height * 4);
  reader.decodeAndBlitFrameRGBA(0, data);
  return { width, height, data };
}

/**
 * Returns the pixels of an image, or of the first frame of an animation. @throws if it is corrupt or has another format
 */
export async function decode(bytes: Uint8Array): Promise<Decoded> {
  switch (formatOf(bytes)) {
    case 'jpeg':
      return jpegJs.decode(bytes, { useTArray: true, formatAsRGBA: true });
    case 'png': {
      const { width, height, data } = PNG.sync.read(Buffer.from(bytes));
      return { width, height, data };
    }
    case 'gif':
      return decodedGif(bytes);
    case 'webp':
      return decodedWebp(bytes);
    default:
      throw new Error('not an image');
  }
}

/** Returns red, green, blue and alpha in the middle of each quadrant. */
export function quadrants({ width, height, data }: Decoded): number[][] {
  return [0.25, 0.75].flatMap((y) =>
    [0.25, 0.75].map((x) => {
      const at = (Math.floor(y * height) * width + Math.floor(x * width)) * 4;
      return Array.from(data.subarray(at, at + 4));
    }),
  );
}

/** Returns the mean difference of the channels on a white background, out of 255. */
export function difference(a: Decoded, b: Decoded): number {
  const onWhite = ({ data }: Decoded, i: number) => {
    const alpha = data[i - (i % 4) + 3] ?? 0;
    return i % 4 === 3 ? alpha : ((data[i] ?? 0) * alpha) / 255 + 255 - alpha;
  };
  let sum = 0;
  for (let i = 0; i < a.data.length; i++) sum += Math.abs(onWhite(a, i) - onWhite(b, i));
  return sum / a.data.length;
}
