/** Pool of reusable buffers, which saves allocations. */
export interface Buffers {
  /** Size of each buffer, in bytes. Its content is arbitrary. */
  readonly size: number;
  take(): Buffer<ArrayBuffer>;
  /** Returns a buffer to the pool. It must not be used afterwards. */
  give(buffer: Buffer<ArrayBuffer>): void;
}

/** @param kept maximum free buffers in the pool; more may be in use */
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
