import { createHash } from 'node:crypto';
import type { Blobs } from '@baobab/core';

/** An empty blob store, and a function that removes it with all its blobs. */
export interface OpenedBlobs {
  readonly blobs: Blobs;
  /** True if the bytes are stored in the memory of this process, so that they do not count as leaked. */
  readonly inMemory?: boolean;
  dispose(): Promise<void>;
}

let owners = 0;
/** Returns a new owner without blobs. */
export const owner = () => `018f0000-0000-7000-8000-${(++owners).toString(16).padStart(12, '0')}`;

export const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');
