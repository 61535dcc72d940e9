import type { S3Client } from '@aws-sdk/client-s3';
import { AppError, type BlobContent, type BlobInfo, type BlobKey, type Blobs, parseBlobKey } from '@baobab/core';
import { createBuffers } from '../buffers.ts';
import { createClient, limitsOf, loadSdk, type S3Options, type Sdk } from './client.ts';
import { type Deadline, within } from './deadline.ts';
import { isBeyondEnd, isMissing, ofHealth, unavailable } from './errors.ts';
import { PART } from './parts.ts';
import { contentOf, upload } from './transfer.ts';
import { markersUnder, newMarker, sweepMarker } from './unfinished.ts';

/** Maximum concurrent removals, with one request each, because not all servers can remove many objects in one. */
const REMOVALS_AT_ONCE = 8;
/** Part buffers kept for the next upload, which needs this many. */
const PARTS_KEPT = 2;
/** Maximum keys that S3 lists in one response. */
const MAX_LISTED = 1000;

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Runs `work` for all items, a few at a time. */
async function forAll<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += REMOVALS_AT_ONCE) {
    await Promise.all(items.slice(at, at + REMOVALS_AT_ONCE).map(work));
  }
}

/** Stores blobs as objects in one bucket on Amazon S3 or a compatible server. Connects on first use. */
export function createS3Blobs(options: S3Options): Blobs {
  const { bucket: Bucket } = options;
  const limits = limitsOf(options);
  const prefix = options.prefix === '' ? '' : `${options.prefix}/`;
  const parts = createBuffers(PART, PARTS_KEPT);
  let opened: Promise<{ readonly sdk: Sdk; readonly client: S3Client }> | null = null;
  let closed = false;

  async function open() {
    if (closed) throw new AppError('blobs.unavailable', { detail: 'the blob store is closed' });
    opened ??= loadSdk().then((sdk) => ({ sdk, client: createClient(sdk, options) }));
    return opened;
  }

  const place = (key: BlobKey) => {
    if (parseBlobKey(key) === null) throw new TypeError(`"${key}" is no key of a blob`);
    return { Bucket, Key: prefix + key };
  };

  /**
   * Resolves to `otherwise` if the server has no such key. Other errors, including timeouts, become
   * `blobs.unavailable`.
   */
  async function calling<T>(
    work: (sdk: Sdk, client: S3Client, deadline: Deadline) => Promise<T>,
    otherwise?: () => T,
  ): Promise<T> {
    const { sdk, client } = await open();
    try {
      return await within(limits.request, (deadline) => work(sdk, client, deadline));
    } catch (error) {
      if (otherwise !== undefined && isMissing(error)) return otherwise();
      throw unavailable(error);
    }
  }

  const stat = (key: BlobKey) =>
    calling<BlobInfo | null>(
      async ({ HeadObjectCommand }, client, deadline) => {
        const { ContentLength = 0, LastModified } = await client.send(new HeadObjectCommand(place(key)), deadline);
        return { size: ContentLength, created: LastModified?.getTime() ?? 0 };
      },
      () => null,
    );

  async function empty(key: BlobKey): Promise<BlobContent | null> {
    const info = await stat(key);
    return info === null ? null : { size: info.size, bytes: nothing(), dispose: () => undefined };
  }

  const removeObject = (Key: string) =>
    calling(
      async ({ DeleteObjectCommand }, client, deadline) => {
        await client.send(new DeleteObjectCommand({ Bucket, Key }), deadline);
        return true;
      },
      () => false,
    );

  /** Lists the server's keys after `after`. */
  const listObjects = (under: string, after: string | null, limit: number) =>
    calling(async ({ ListObjectsV2Command }, client, deadline) => {
      const request = { Bucket, Prefix: under, MaxKeys: limit, ...(after === null ? {} : { StartAfter: after }) };
      const { Contents = [], IsTruncated = false } = await client.send(new ListObjectsV2Command(request), deadline);
      const objects = Contents.map(({ Key = '', Size = 0, LastModified }) => ({
        key: Key,
        size: Size,
        created: LastModified?.getTime() ?? 0,
      }));
      return { objects, more: IsTruncated };
    });

  /** Yields all objects below a prefix, a page at a time. */
  async function* objectsUnder(under: string) {
    for (let after: string | null = null, more = true; more; ) {
      const page = await listObjects(under, after, MAX_LISTED);
      yield page.objects;
      after = page.objects.at(-1)?.key ?? null;
      more = page.more && after !== null;
    }
  }

  return {
    async put(key, bytes) {
      const { sdk, client } = await open();
      const target = { place: place(key), marker: { Bucket, Key: newMarker(prefix, key) } };
      return upload({ sdk, client, limits, buffers: parts }, target, bytes);
    },
    async get(key, range) {
      if (range?.length === 0) return empty(key);
      const Range = range && `bytes=${range.offset}-${range.offset + range.length - 1}`;
      try {
        return await calling<BlobContent | null>(
          async ({ GetObjectCommand }, client, deadline) =>
            contentOf(await client.send(new GetObjectCommand({ ...place(key), ...(Range && { Range }) }), deadline)),
          () => null,
        );
      } catch (error) {
        if (error instanceof Error && isBeyondEnd(error.cause)) return empty(key);
        throw error;
      }
    },
    stat,
    remove: (key) =>
      calling(
        async ({ HeadObjectCommand, DeleteObjectCommand }, client, deadline) => {
          // The response to a removal does not show if the object existed.
          await client.send(new HeadObjectCommand(place(key)), deadline);
          await client.send(new DeleteObjectCommand(place(key)), deadline);
          return true;
        },
        () => false,
      ),
    async removeGroup(group) {
      let removed = 0;
      for await (const objects of objectsUnder(`${prefix}${group}/`)) {
        await forAll(objects, ({ key }) => removeObject(key));
        removed += objects.length;
      }
      return removed;
    },
    async list({ olderThan, cursor, limit }) {
      const after = cursor === null ? null : prefix + cursor;
      const { objects, more } = await listObjects(prefix, after, Math.min(limit, MAX_LISTED));
      const last = objects.at(-1)?.key.slice(prefix.length) ?? null;
      const old = objects.filter(({ created }) => created < olderThan).map(({ key }) => key.slice(prefix.length));
      return { keys: old.filter((key) => parseBlobKey(key) !== null), cursor: more ? last : null };
    },
    async removeUnfinished(olderThan) {
      let removed = 0;
      for await (const objects of objectsUnder(markersUnder(prefix))) {
        const old = objects.filter(({ created }) => created < olderThan);
        await forAll(old, async (marker) => {
          const isSwept = await calling((sdk, client, deadline) =>
            sweepMarker({ sdk, client, deadline }, marker, { Bucket, prefix, olderThan }),
          );
          if (isSwept) removed++;
        });
      }
      return removed;
    },
    async health() {
      // Not HEAD, whose refusal has no body with the reason.
      const { sdk, client } = await open();
      try {
        await within(limits.request, (deadline) =>
          client.send(new sdk.ListObjectsV2Command({ Bucket, Prefix: prefix, MaxKeys: 1 }), deadline),
        );
      } catch (error) {
        throw ofHealth(error, options);
      }
    },
    async close() {
      closed = true;
      (await opened)?.client.destroy();
    },
  };
}
