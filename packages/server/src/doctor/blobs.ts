import { randomUUID } from 'node:crypto';
import { blobGroup, blobKey, isAppError } from '@baobab/core';
import { openBlobs } from '../composition/archives.ts';
import type { BlobConfig } from '../config.ts';
import { variableOf } from '../data-folders.ts';
import { explainS3 } from '../faults/s3.ts';
import { type CheckContext, causeText, explained, type Finding, ok, skipped } from './check.ts';
import { checkWritable } from './folders.ts';

async function* oneByte(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(1);
}

/** Stores one byte and removes it again. */
async function tryOut(config: BlobConfig): Promise<void> {
  const blobs = openBlobs(config);
  const id = randomUUID();
  try {
    await blobs.health();
    await blobs.put(blobKey('files', id), oneByte());
    await blobs.removeGroup(blobGroup('files', id));
  } finally {
    await blobs.close();
  }
}

/** @param variable the variable that names the bucket */
export async function checkBucket(config: Extract<BlobConfig, { kind: 's3' }>, variable: string): Promise<Finding> {
  const name = `Bucket "${config.bucket}" at ${config.endpoint ?? 'Amazon'}`;
  try {
    await tryOut(config);
    return ok(`${name} can be written to`);
  } catch (error) {
    const isRejected = isAppError(error) && error.code === 'blobs.misconfigured';
    const why = (isRejected && error.detail) || causeText(error);
    return explained(
      `${name} cannot be used: ${why}`,
      explainS3(error, variable),
      `Check bucket, endpoint and region in ${variable}, and that AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY may read and write there`,
    );
  }
}

export async function checkBlobs({ config }: CheckContext): Promise<Finding> {
  const { blobs } = config;
  switch (blobs.kind) {
    case 'memory':
      return skipped('memory: data is lost when the program ends');
    case 's3':
      return checkBucket(blobs, 'BLOB_URL');
    case 'file':
      // Storing a blob would create folders owned by the user of this command instead of the server's.
      return (await checkWritable({ path: blobs.path, variable: variableOf.blobs(blobs.path, config) })) === null
        ? ok('The folder of blobs can be written to')
        : skipped('The folder of blobs cannot be written to: see the check "disk"');
  }
}
