import { AppError, type ImageFormat, type Images } from '@baobab/core';
import { translate } from './failures.ts';
import { inspect, readHeader, repaired } from './header/index.ts';
import { JPEG_QUALITY, WEBP_QUALITY } from './quality.ts';
import { createWasmImages, type ImageLimits } from './wasm.ts';

/** Subset of sharp's API that is used. The build must work without sharp, and so without its types. */
interface Pipeline {
  metadata(): Promise<{ readonly format?: string; readonly width?: number; readonly height?: number }>;
  autoOrient(): Pipeline;
  resize(width: number, height: number, options: { fit: 'fill' }): Pipeline;
  timeout(options: { seconds: number }): Pipeline;
  toFormat(format: string, options: Readonly<Record<string, number | boolean>>): Pipeline;
  toBuffer(): Promise<Uint8Array>;
}
export type Sharp = (bytes: Uint8Array, options: Readonly<Record<string, number | string | boolean>>) => Pipeline;

const JOB_LIMIT_S = 60;

const OUTPUT: Readonly<Record<ImageFormat, Readonly<Record<string, number | boolean>>>> = {
  jpeg: { quality: JPEG_QUALITY, mozjpeg: false },
  png: {},
  gif: { effort: 2 },
  webp: { quality: WEBP_QUALITY },
};

/** Imports sharp. Resolves to null if it is not installed or does not run. */
export async function importSharp(): Promise<Sharp | null> {
  // Not a literal, so that the compiler does not resolve it.
  const name: string = 'sharp';
  try {
    const { default: sharp } = (await import(name)) as { default: Sharp };
    return sharp;
  } catch {
    return null;
  }
}

/** Resizes with libvips in libuv's threads. Several times faster, on platforms with a binary. */
export function createSharpImages(sharp: Sharp, limits: ImageLimits): Images {
  const { maxPixels } = limits;
  let isClosed = false;
  // Free until the first job, which starts its threads.
  const portable = createWasmImages(limits);
  return {
    inspect: (bytes) => inspect(bytes, maxPixels),
    async resize(given, size) {
      if (isClosed) throw new AppError('image.busy');
      const header = readHeader(given, maxPixels);
      const bytes = repaired(given, header);
      // For a JPEG without an end marker, libvips cannot detect missing data.
      if (header.format === 'jpeg' && bytes.length > given.length) return portable.resize(given, size);
      const options = { failOn: 'error', limitInputPixels: maxPixels, sequentialRead: true };
      try {
        const found = await sharp(bytes, options).metadata();

        // Reject a file that sharp identifies differently than our header check.
        if (found.format !== header.format || found.width !== header.width || found.height !== header.height) {
          throw new Error(`taken for ${found.format} with ${found.width} × ${found.height}`);
        }
        const { width, height } = size;
        return await sharp(bytes, options)
          .timeout({ seconds: JOB_LIMIT_S })
          .autoOrient()
          .resize(width, height, { fit: 'fill' })
          .toFormat(header.format, OUTPUT[header.format])
          .toBuffer();
      } catch (error) {
        throw translate(error);
      }
    },
    async close() {
      isClosed = true;
      await portable.close();
    },
  };
}
