import { createFilesystemBlobs } from '@baobab/adapters/filesystem';
import { createMemoryBlobs } from '@baobab/adapters/memory';
import { createS3Blobs } from '@baobab/adapters/s3';
import type { Blobs, Clock } from '@baobab/core';
import type { BlobConfig } from '../config.ts';

/** Creates the blob store. Register new blob stores here. */
export function createBlobs(config: BlobConfig, clock: Clock): Blobs {
  switch (config.kind) {
    case 'memory':
      return createMemoryBlobs({ now: clock.now });
    case 'file':
      return createFilesystemBlobs({ path: config.path });
    case 's3':
      return createS3Blobs(config);
  }
}
