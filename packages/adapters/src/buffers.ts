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
    },
  };
}
