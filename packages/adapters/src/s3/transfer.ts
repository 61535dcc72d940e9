import { createHash } from 'node:crypto';
import { PassThrough, pipeline, Readable } from 'node:stream';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { AppError, type BlobContent, type StoredBlob } from '@baobab/core';
import type { Buffers } from '../buffers.ts';
import type { Target } from './client.ts';
import { within } from './deadline.ts';
import { unavailable } from './errors.ts';
import { createParts, PART, type Uploading } from './parts.ts';

/** Size of an upload's first buffer in bytes, so that a short blob takes little memory. */
const FIRST_ROOM = 65_536;
const GROWTH = 4;

/** Copies the bytes to a larger buffer, up to the size of a part. */
function withRoom(buffer: Buffer<ArrayBuffer>, filled: number, buffers: Buffers): Buffer<ArrayBuffer> {
  const room = buffer.length * GROWTH;
  const larger = room < buffers.size ? Buffer.allocUnsafeSlow(room) : buffers.take();
  larger.set(buffer.subarray(0, filled));
  return larger;
}

/** Uploads bytes of unknown length: small ones in one request, others in parts, which are dropped on failure. */
export async function upload(
  uploading: Uploading,
  target: Target,
  bytes: AsyncIterable<Uint8Array>,
): Promise<StoredBlob> {
  const { sdk, client, limits, buffers } = uploading;
  const hash = createHash('sha256');
  const parts = createParts(uploading, target);
  let part = Buffer.allocUnsafeSlow(FIRST_ROOM);
  let filled = 0;
  let size = 0;

  async function add(chunk: Uint8Array): Promise<void> {
    for (let taken = 0; taken < chunk.length; ) {
      if (filled === PART) {
        part = await parts.send(part);
        filled = 0;
      } else if (filled === part.length) part = withRoom(part, filled, buffers);
      const more = chunk.subarray(taken, taken + part.length - filled);
      part.set(more, filled);
      filled += more.length;
      taken += more.length;
    }
  }

  async function putAtOnce(Body: Uint8Array): Promise<void> {
    const command = new sdk.PutObjectCommand({ ...target.place, Body, ContentType: 'application/octet-stream' });
    const requestTimeout = limits.part;
    await within(limits.part, (deadline) => client.send(command, { ...deadline, requestTimeout })).catch(
      (cause: unknown) => {
        throw unavailable(cause);
      },
    );
  }

  try {
    for await (const chunk of bytes) {
      hash.update(chunk);
      size += chunk.length;
      await add(chunk);
    }
    const last = part.subarray(0, filled);
    await (size <= PART ? putAtOnce(last) : parts.finish(last));
  } catch (error) {
    await parts.drop();
    throw error;
  }
  if (part.length === buffers.size) buffers.give(part);
  return { size, sha256: hash.digest('hex') };
}

/** Yields the bytes of a response. @throws `blobs.unavailable`, also if they end early */
async function* readWhole(body: Readable, expected: number): AsyncGenerator<Uint8Array> {
  // One chunk at a time: a byte stream would join waiting chunks, which costs copies and garbage.
  const chunks = new PassThrough({ writableHighWaterMark: 1, readableObjectMode: true, readableHighWaterMark: 1 });
  pipeline(body, chunks, () => undefined); // reported to the reader
  let read = 0;
  try {
    for await (const chunk of chunks as AsyncIterable<Uint8Array>) {
      read += chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw unavailable(error);
  }
  if (read !== expected)
    throw new AppError('blobs.unavailable', { detail: 'the server sent fewer bytes than it announced' });
}

/** Returns the content of a GET response. */
export function contentOf({ Body, ContentLength, ContentRange }: GetObjectCommandOutput): BlobContent {
  if (!(Body instanceof Readable) || ContentLength === undefined) {
    throw new AppError('blobs.unavailable', { detail: 'the server sent no body' });
  }
  // A body that fails before it is read must not end the process.
  Body.on('error', () => undefined);
  const total = ContentRange === undefined ? ContentLength : Number(ContentRange.split('/')[1]);
  return { size: total, bytes: readWhole(Body, ContentLength), dispose: () => Body.destroy() };
}
