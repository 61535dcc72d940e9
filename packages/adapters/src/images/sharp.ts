import { AppError, type Images } from '@baobab/core';
import { createWorkerPool } from '../worker-pool.ts';
import { createImageMemory } from './budget.ts';
import { translate } from './failures.ts';
import { inspect, readHeader, repaired } from './header/index.ts';
import { sharpNeed } from './needs.ts';
import type { SharpJob } from './sharp-process.ts';
import { createWasmImages, type ImageLimits } from './wasm.ts';

const JOB_LIMIT_MS = 60_000;
const IDLE_MS = 10_000;
/** Resident memory of a process before its first job, rounded up, and the most that it may keep after others. */
const IDLE_BYTES = 100_000_000;
const MOST_KEPT_BYTES = 300_000_000;
/** Share of the memory for images that an idle process may keep. */
const KEPT_SHARE = 1 / 16;

/** One arena, and no heap for large blocks: otherwise glibc keeps several times the memory of the largest image. */
const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '1048576' } as const;

// Tests run the TypeScript sources; the build has `.js` files.
const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './sharp-process.ts' : './sharp-process.js', import.meta.url);

/**
 * Resizes with libvips in processes, because it decodes hostile files in native code, and allocators keep much of what
 * it has used. Several times faster, on platforms with a binary.
 */
export function createSharpImages(limits: ImageLimits): Images {
  const { maxPixels, concurrency } = limits;
  const memory = createImageMemory(limits.maxBytes);
  // Both are free until their first job.
  const portable = createWasmImages(limits, memory);
  const pool = createWorkerPool<SharpJob, Uint8Array>({
    entry: ENTRY,
    size: concurrency,
    limitMs: JOB_LIMIT_MS,
    idleMs: IDLE_MS,
    process: ALLOCATOR,
  });
  const mostIdleBytes = IDLE_BYTES + Math.min(MOST_KEPT_BYTES, memory.bytes * KEPT_SHARE);
  let isClosed = false;
  return {
    inspect: (bytes) => inspect(bytes, maxPixels),
    async resize(given, size) {
      if (isClosed) throw new AppError('image.busy');
      const header = readHeader(given, maxPixels);
      const bytes = repaired(given, header);
      // For a JPEG without an end marker, libvips cannot detect missing data.
      if (header.format === 'jpeg' && bytes.length > given.length) return portable.resize(given, size);
      const { format, width, height } = header;
      const job = { bytes, header: { format, width, height }, size, mostIdleBytes };
      return memory.run(sharpNeed(header, bytes.length, size), () =>
        pool.run(job, []).catch((error: unknown) => Promise.reject(translate(error))),
      );
    },
    async close() {
      isClosed = true;
      await Promise.all([portable.close(), pool.close()]);
    },
  };
}
