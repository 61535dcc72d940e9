import { release } from '@baobab/core';

/** Buffers that are used again and again: new ones are memory that the system has to hand out anew. */
export interface Buffers {
  /** Bytes of one; it holds anything. */
  readonly size: number;
  take(): Buffer<ArrayBuffer>;
  /** Nobody may use it any more. */
  give(buffer: Buffer<ArrayBuffer>): void;
}

/** @param kept how many wait at most to be used again; more may be in use */
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
