import type { CompletedPart, S3Client } from '@aws-sdk/client-s3';
import type { Buffers } from '../buffers.ts';
import type { Sdk, Target } from './client.ts';
import { unavailable } from './errors.ts';
import { abortUpload } from './unfinished.ts';

/** A blob of more than one part is uploaded in several requests, of which S3 takes 10,000: up to 48 GiB. Bytes. */
export const PART = 5 * 1024 * 1024;
/** Parts on their way at once for each upload; one more is gathered meanwhile. With two, a process grew by up to 51 MiB. */
const PARTS_AT_ONCE = 1;

/** An upload in several requests. What fails is `blobs.unavailable`, and may be told by a later call. */
export interface Parts {
  /** Sends a part, and gives its buffer back when it has arrived. Resolves to one for the next when that may be gathered. */
  send(part: Buffer<ArrayBuffer>): Promise<Buffer<ArrayBuffer>>;
  /** Sends the last and puts all together. */
  finish(last: Uint8Array): Promise<void>;
  /** Drops what was sent. Where the server does not answer any more, it is swept. */
  drop(): Promise<void>;
}

/** @param buffers of the size of a part; those of an upload that fails may be on their way yet, and are not given back */
export function createParts(sdk: Sdk, client: S3Client, { place, marker }: Target, buffers: Buffers): Parts {
  const abort = new AbortController();
  const arrived: CompletedPart[] = [];
  const underWay = new Set<Promise<void>>();
  let failure: { readonly cause: unknown } | null = null;
  let begun: Promise<string> | null = null;
  let uploadId: string | null = null;
  /** Whether no other upload can have begun for this marker. */
  let isOnly = false;
  let sent = 0;

  const mark = (id: string) => client.send(new sdk.PutObjectCommand({ ...marker, Body: Buffer.from(id) }));

  async function begin(): Promise<string> {
    await mark('');
    const command = new sdk.CreateMultipartUploadCommand({ ...place, ContentType: 'application/octet-stream' });
    const { UploadId, $metadata } = await client.send(command);
    if (UploadId === undefined) throw new Error('the server gave the upload no id');
    uploadId = UploadId;
    // A request that was tried again may have begun two uploads. Then the marker stays, and stands for both.
    isOnly = $metadata.attempts === 1;
    if (isOnly) await mark(UploadId);
    return UploadId;
  }

  /** A marker that cannot be removed is swept later. */
  async function unmark(): Promise<void> {
    if (isOnly) await client.send(new sdk.DeleteObjectCommand(marker)).catch(() => undefined);
  }

  async function upload(Body: Uint8Array, PartNumber: number): Promise<void> {
    begun ??= begin();
    const command = new sdk.UploadPartCommand({ ...place, UploadId: await begun, PartNumber, Body });
    const { ETag } = await client.send(command, { abortSignal: abort.signal });
    arrived.push({ ETag, PartNumber });
  }

  function start(part: Uint8Array, then: () => void): void {
    sent++;
    const work: Promise<void> = upload(part, sent)
      .then(then, (cause: unknown) => {
        failure ??= { cause };
      })
      .finally(() => underWay.delete(work));
    underWay.add(work);
  }

  async function untilFewerThan(count: number): Promise<void> {
    while (underWay.size >= count) await Promise.race(underWay);
    if (failure !== null) throw unavailable(failure.cause);
  }

  return {
    async send(part) {
      await untilFewerThan(PARTS_AT_ONCE);
      start(part, () => buffers.give(part));
      return buffers.take();
    },
    async finish(last) {
      start(last, () => undefined);
      await untilFewerThan(1);
      const Parts = arrived.sort((a, b) => Number(a.PartNumber) - Number(b.PartNumber));
      try {
        const UploadId = uploadId ?? undefined;
        await client.send(new sdk.CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts } }));
      } catch (error) {
        throw unavailable(error);
      }
      await unmark();
    },
    async drop() {
      abort.abort();
      await Promise.all(underWay);
      if (uploadId === null) return;
      await abortUpload(sdk, client, place, uploadId).then(unmark, () => undefined);
    },
  };
}
