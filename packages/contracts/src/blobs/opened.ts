import { createHash } from 'node:crypto';
import type { Blobs } from '@baobab/core';

/** An empty store of blobs, and how to be rid of it and of all that was put into it. */
export interface OpenedBlobs {
  readonly blobs: Blobs;
  /** Whether the bytes are kept in the memory of this process: what has been put then counts as held by right. */
  readonly inMemory?: boolean;
  dispose(): Promise<void>;
}

let owners = 0;
/** An owner that nothing is kept for yet. */
export const owner = () => `018f0000-0000-7000-8000-${(++owners).toString(16).padStart(12, '0')}`;

export const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');
