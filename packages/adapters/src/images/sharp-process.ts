import type { ImageFormat, ImageSize } from '@baobab/core';
import type { Answer } from '../worker-pool.ts';
import type { ImageHeader } from './header/bytes.ts';
import { JPEG_QUALITY, WEBP_QUALITY } from './quality.ts';
import { importSharp, type Sharp } from './sharp-module.ts';

/** Resize job for a process. */
export interface SharpJob {
  readonly bytes: Uint8Array;
  readonly header: Pick<ImageHeader, 'format' | 'width' | 'height'>;
  readonly size: ImageSize;
  /** Resident memory with which the process is reused, in bytes: allocators return only a part of it. */
  readonly mostIdleBytes: number;
}

const OUTPUT: Readonly<Record<ImageFormat, Readonly<Record<string, number | boolean>>>> = {
  jpeg: { quality: JPEG_QUALITY, mozjpeg: false },
  png: {},
  gif: { effort: 2 },
  webp: { quality: WEBP_QUALITY },
};

const INDEXED_PNG = { palette: true, effort: 1 };

let loaded: Promise<Sharp> | null = null;

async function load(): Promise<Sharp> {
  const sharp = await importSharp();
  if (sharp === null) throw new Error('sharp cannot be imported');
  // The cache would keep the coefficients of up to 100 JPEGs, which no other job needs.
  sharp.cache(false);
  return sharp;
}

async function resize({ bytes, header, size: { width, height } }: SharpJob): Promise<Uint8Array> {
  loaded ??= load();
  const sharp = await loaded;
  const options = { failOn: 'error', limitInputPixels: header.width * header.height, sequentialRead: true };
  const found = await sharp(bytes, options).metadata();
  // Reject a file that sharp identifies differently than our header check.
  if (found.format !== header.format || found.width !== header.width || found.height !== header.height) {
    throw new Error(`taken for ${found.format} with ${found.width} × ${found.height}`);
  }
  // Without a palette, a resized drawing is often larger than the original.
  const keepsPalette = header.format === 'png' && found.isPalette === true;
  return sharp(bytes, options)
    .autoOrient()
    .resize(width, height, { fit: 'fill' })
    .toFormat(header.format, keepsPalette ? INDEXED_PNG : OUTPUT[header.format])
    .toBuffer();
}

process.on('message', (job: SharpJob) => {
  const send = (answer: Answer<Uint8Array>) => process.send?.(answer);
  resize(job).then(
    (value) => send({ value, isWorn: process.memoryUsage.rss() > job.mostIdleBytes }),
    (error: unknown) => send({ problem: String(error), isWorn: process.memoryUsage.rss() > job.mostIdleBytes }),
  );
});

// The server stops its processes. A terminal and a service manager signal all of them, while a job is still needed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
