import type { Images } from '@baobab/core';
import { createWorkerPool } from '../worker-pool.ts';
import { createImageMemory, type ImageMemory } from './budget.ts';
import { translate } from './failures.ts';
import { inspect, oriented, readHeader, repaired } from './header/index.ts';
import { wasmNeed } from './needs.ts';
import type { ResizeJob } from './wasm-worker.ts';

export interface ImageLimits {
  /** Maximum number of pixels of an image. */
  readonly maxPixels: number;
  /** Maximum number of images resized at the same time. */
  readonly concurrency: number;
  /** Maximum memory of all images that are resized at the same time, in bytes. Default: no limit. */
  readonly maxBytes?: number;
}

const JOB_LIMIT_MS = 60_000;
const IDLE_MS = 10_000;
/** Maximum pixels of an image after which a thread is reused: WebAssembly memory never shrinks. */
const HEAVY_PIXELS = 24_000_000;
/** Maximum share of the memory that an image needs, after which a thread is reused. */
const HEAVY_SHARE = 1 / 16;

// Tests run the TypeScript sources; the build has `.js` files.
const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './wasm-worker.ts' : './wasm-worker.js', import.meta.url);

/** Returns bytes that can be transferred to another thread: they must fill their buffer. */
const owned = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes);

/**
 * Resizes with codecs in WebAssembly and JavaScript, on worker threads. Runs wherever Node runs.
 *
 * @param memory shared with another adapter; default: all of `maxBytes`
 */
export function createWasmImages(
  { maxPixels, concurrency, maxBytes }: ImageLimits,
  memory: ImageMemory = createImageMemory(maxBytes),
): Images {
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
      const stored = oriented(size, header.orientation);
      const need = wasmNeed(header, bytes.length, stored);
      const isHeavy = header.width * header.height > HEAVY_PIXELS || need > memory.bytes * HEAVY_SHARE;
      return memory.run(need, async () => {
        const job = { bytes: owned(repaired(bytes, header)), header, size: stored, isHeavy };
        try {
          return await pool.run(job, [job.bytes.buffer]);
        } catch (error) {
          throw translate(error);
        }
      });
    },
    close: () => pool.close(),
  };
}
