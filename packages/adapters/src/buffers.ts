/** Releasing less is not worth it, and chunks that are views of a larger shared buffer are shorter. Bytes. */
const WORTHWHILE = 4096;

/** In every supported Node, but not in the ES2023 of our other code. */
interface Transferable extends ArrayBuffer {
  transfer(length: number): ArrayBuffer;
}

/**
 * Releases the memory of a chunk immediately: afterwards it has no bytes, so the caller must be its last user. Otherwise
 * the memory stays until garbage collection, which starts only when some 64 MiB of buffers have gathered and then scans
 * the whole heap: at full speed that takes more time than moving the bytes (ADR 20). A chunk that is a part of a larger
 * buffer is left alone.
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < WORTHWHILE || buffer.byteLength !== byteLength) return;
  if (buffer instanceof ArrayBuffer) (buffer as Transferable).transfer(0);
}

/** A pool of reusable buffers, which saves allocations. */
export interface Buffers {
  /** The size of each buffer, in bytes. Its content is arbitrary. */
  readonly size: number;
  take(): Buffer<ArrayBuffer>;
  /** Returns a buffer, which nobody may use from then on. */
  give(buffer: Buffer<ArrayBuffer>): void;
}

/** @param kept the most free buffers that are kept; more may be in use */
export function createBuffers(size: number, kept: number): Buffers {
  const free: Buffer<ArrayBuffer>[] = [];
  return {
    size,
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(size),
    give(buffer) {
      if (free.length < kept) free.push(buffer);
      else release(buffer);
    },
  };
}
