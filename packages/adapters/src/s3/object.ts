import type { S3Client } from '@aws-sdk/client-s3';
import { AppError } from '@baobab/core';
import { createBuffers } from '../buffers.ts';
import { createClient, limitsOf, loadSdk, type S3Options, type Sdk } from './client.ts';
import { type Deadline, within } from './deadline.ts';
import { isMissing, ofHealth, statusOf, unavailable } from './errors.ts';
import { PART } from './parts.ts';
import { contentOf, upload } from './transfer.ts';

/** One object with a key that the operator chooses, such as an archive. */
export interface S3Object {
  /** @throws as `Blobs.health` */
  health(): Promise<void>;
  /** @throws `blobs.unavailable` */
  exists(): Promise<boolean>;
  /**
   * Writes the object, up to 48 GiB. It appears when it is complete. During the upload, there is a marker,
   * `<key>.unfinished`.
   *
   * @throws the errors of `bytes`, unchanged; `blobs.unavailable`
   */
  write(bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Reads the object from its beginning, always in the same version. The caller owns the chunks. @throws
   * `blobs.unavailable`, also while reading
   */
  read(): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}

const CHANGED = 412;

async function* copied(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Uint8Array.from(chunk);
}

export function createS3Object(options: Omit<S3Options, 'prefix'>, key: string): S3Object {
  const place = { Bucket: options.bucket, Key: key };
  const marker = { Bucket: options.bucket, Key: `${key}.unfinished` };
  const limits = limitsOf({ ...options, prefix: '' });
  let opened: Promise<{ readonly sdk: Sdk; readonly client: S3Client }> | null = null;
  let etag: string | undefined;

  function open() {
    opened ??= loadSdk().then((sdk) => ({ sdk, client: createClient(sdk, { ...options, prefix: '' }) }));
    return opened;
  }

  async function calling<T>(work: (sdk: Sdk, client: S3Client, deadline: Deadline) => Promise<T>): Promise<T> {
    const { sdk, client } = await open();
    return within(limits.request, (deadline) => work(sdk, client, deadline));
  }

  return {
    async health() {
      // Not HEAD, whose refusal has no body with the reason.
      await calling((sdk, client, deadline) =>
        client.send(new sdk.ListObjectsV2Command({ Bucket: options.bucket, Prefix: key, MaxKeys: 1 }), deadline),
      ).catch((error: unknown) => {
        throw ofHealth(error, options);
      });
    },
    async exists() {
      try {
        await calling((sdk, client, deadline) => client.send(new sdk.HeadObjectCommand(place), deadline));
        return true;
      } catch (error) {
        if (isMissing(error)) return false;
        throw unavailable(error);
      }
    },
    async write(bytes) {
      const { sdk, client } = await open();
      await upload({ sdk, client, limits, buffers: createBuffers(PART, 2) }, { place, marker }, bytes);
    },
    async read() {
      try {
        const answer = await calling((sdk, client, deadline) =>
          client.send(
            new sdk.GetObjectCommand({ ...place, ...(etag === undefined ? {} : { IfMatch: etag }) }),
            deadline,
          ),
        );
        etag ??= answer.ETag;
        return copied(contentOf(answer).bytes);
      } catch (error) {
        if (statusOf(error) === CHANGED)
          throw new AppError('blobs.unavailable', { detail: 'the object has changed', cause: error });
        throw unavailable(error);
      }
    },
    async close() {
      (await opened)?.client.destroy();
    },
  };
}
