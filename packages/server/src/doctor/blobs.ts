import { randomUUID } from 'node:crypto';
import { blobGroup, blobKey, isAppError } from '@baobab/core';
import { openBlobs } from '../composition/archives.ts';
import type { BlobConfig } from '../config.ts';
import { type Finding, fault, ok, type Patient, reasonOf, skipped } from './check.ts';
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

const nameOf = (config: BlobConfig) =>
  config.kind === 's3' ? `Bucket "${config.bucket}" at ${config.endpoint ?? 'Amazon'}` : 'The folder of blobs';

const S3_REMEDY =
  'Check bucket, endpoint and region in BLOB_URL, and that AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY may read and write there';

export async function checkBlobs({ config: { blobs } }: Patient): Promise<Finding> {
  if (blobs.kind === 'memory') return skipped('memory: keeps nothing when the program ends');
  if (blobs.kind === 'file') {
    const unwritable = await checkWritable({ path: blobs.path, variable: 'BLOB_URL' });
    if (unwritable !== null) return unwritable;
  }
  try {
    await tryOut(blobs);
    return ok(`${nameOf(blobs)} can be written to`);
  } catch (error) {
    const why = isAppError(error) ? (error.detail ?? reasonOf(error)) : reasonOf(error);
    const remedy = blobs.kind === 's3' ? S3_REMEDY : 'Give the folder to the user who runs the service';
    return fault(`${nameOf(blobs)} cannot be used: ${why}`, remedy);
  }
}
