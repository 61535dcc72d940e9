import type { Images } from '@baobab/core';
import { createWorkerPool } from '../worker-pool.ts';
import { translate } from './failures.ts';
import { inspect, oriented, readHeader, repaired } from './header/index.ts';
import type { ResizeJob } from './wasm-worker.ts';

export interface ImageLimits {
  /** Maximum number of pixels of an image. */
  readonly maxPixels: number;
  /** Maximum number of images resized at the same time. */
  readonly concurrency: number;
}

const JOB_LIMIT_MS = 60_000;
const IDLE_MS = 10_000;

// Tests run the TypeScript sources; the build has `.js` files.
const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './wasm-worker.ts' : './wasm-worker.js', import.meta.url);

/** Returns bytes that can be transferred to another thread: they must fill their buffer. */
const owned = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes);

/** Resizes with codecs in WebAssembly and JavaScript, on worker threads. Runs wherever Node runs. */
export function createWasmImages({ maxPixels, concurrency }: ImageLimits): Images {
  const pool = createWorkerPool<ResizeJob, Uint8Array>({
    entry: ENTRY,
    size: concurrency,
    limitMs: JOB_LIMIT_MS,
    idleMs: IDLE_MS,
  });
  return {
    inspect: (bytes) => inspect(bytes, maxPixels),
    async resize(bytes, size) {
      const header = readHeader(bytes, maxPixels);
      const job = { bytes: owned(repaired(bytes, header)), header, size: oriented(size, header.orientation) };
      try {
        return await pool.run(job, [job.bytes.buffer]);
      } catch (error) {
        throw translate(error);
      }
    },
    close: () => pool.close(),
  };
}
