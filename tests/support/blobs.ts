import { randomBytes } from 'node:crypto';
import { createFilesystemBlobs } from '@baobab/adapters/filesystem';
import { createS3Blobs, type S3Options } from '@baobab/adapters/s3';
import type { Blobs } from '@baobab/core';
import { parseConfig } from '@baobab/server';
import type { TestBackendOptions } from '@baobab/server/testing';
import { describe, inject } from 'vitest';
import { type OpenedBlobs, onEveryStorage, openMemoryBlobs, type World } from './backend.ts';
import { createFolder, STORAGES } from './databases.ts';
import { QUICK } from './parts.ts';

export { collect, noise, textBytes } from '@baobab/contracts/blobs';

/** An empty blob store, with a function that removes it. */
export type TestBlobs = OpenedBlobs;

async function openFilesystem(): Promise<TestBlobs> {
  const folder = createFolder();
  const blobs = createFilesystemBlobs({ path: folder.path });
  return {
    blobs,
    options: { blobUrl: `file:${folder.path}` },
    async dispose() {
      await blobs.close();
      folder.remove();
    },
  };
}

/** Returns options for a store in the tests' bucket, with a unique prefix. */
export function s3Options(): S3Options {
  const { url, accessKeyId, secretAccessKey } = inject('s3');
  const { blobs } = parseConfig({
    BLOB_URL: url,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  });
  if (blobs.kind !== 's3') throw new Error(`"${url}" names no bucket`);
  const own = `test-${randomBytes(8).toString('hex')}`;
  return { ...blobs, prefix: blobs.prefix === '' ? own : `${blobs.prefix}/${own}` };
}

/** Returns the `BLOB_URL` for these options. */
export function s3Url({ bucket, prefix, endpoint, region }: S3Options): string {
  const query = new URLSearchParams({ ...(endpoint === null ? {} : { endpoint }), region });
  return `s3://${bucket}/${prefix}?${query}`;
}

/** Removes all blobs. */
async function removeAll(blobs: Blobs): Promise<void> {
  for (let more = true; more; ) {
    const { keys, cursor } = await blobs.list({ olderThan: Number.MAX_SAFE_INTEGER, cursor: null, limit: 1000 });
    for (const key of keys) await blobs.remove(key);
    more = cursor !== null;
  }
}

async function openS3(): Promise<TestBlobs> {
  const options = s3Options();
  const blobs = createS3Blobs(options);
  return {
    blobs,
    options: {
      blobUrl: s3Url(options),
      blobCredentials: [options.credentials?.accessKeyId ?? '', options.credentials?.secretAccessKey ?? ''],
    },
    async dispose() {
      await blobs.close();
      const last = createS3Blobs(options);
      await removeAll(last);
      await last.close();
    },
  };
}

/** All blob adapters. Each suite on blobs runs once per adapter. */
export const BLOBS: Readonly<Record<string, () => Promise<TestBlobs>>> = QUICK
  ? { memory: openMemoryBlobs }
  : { memory: openMemoryBlobs, filesystem: openFilesystem, s3: openS3 };

/** `EVERY_PAIR=on`: tests each blob store with each storage adapter. */
const EVERY_PAIR = process.env.EVERY_PAIR === 'on';
/** Pairs every adapter of either port once. The ports are independent, so further pairs would repeat the same code. */
const STORAGE_OF: Readonly<Record<string, string>> = { memory: 'memory', filesystem: 'sqlite', s3: 'postgres' };

function storagesFor(blobs: string): typeof STORAGES {
  const name = STORAGE_OF[blobs] ?? '';
  const open = STORAGES[name];
  return EVERY_PAIR || open === undefined ? STORAGES : { [name]: open };
}

/** Declares the same scenarios for every blob store and every storage adapter, each pair with a separate backend. */
export function onEveryStore(
  title: string,
  scenarios: (world: World) => void,
  options: Omit<TestBackendOptions, 'databaseUrl' | 'blobUrl' | 'blobCredentials'> = {},
): void {
  describe.each(Object.entries(BLOBS))(`${title}, with blobs in %s`, (name, open) => {
    onEveryStorage(`${title} (${name})`, scenarios, options, open, storagesFor(name));
  });
}
