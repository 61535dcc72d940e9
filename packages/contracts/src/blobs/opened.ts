import { createHash } from 'node:crypto';
import type { Blobs } from '@baobab/core';

/** An empty blob store, and a function that removes it with all its blobs. */
export interface OpenedBlobs {
  readonly blobs: Blobs;
  /** Whether the bytes are kept in the memory of this process: then stored blobs do not count as leaked memory. */
  readonly inMemory?: boolean;
  dispose(): Promise<void>;
}

let owners = 0;
/** A new owner without blobs. */
export const owner = () => `018f0000-0000-7000-8000-${(++owners).toString(16).padStart(12, '0')}`;

export const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');
