import type { CompletedPart, S3Client } from '@aws-sdk/client-s3';
import type { Buffers } from '../buffers.ts';
import { DROP_MS, type S3Limits, type Sdk, type Target } from './client.ts';
import { type Deadline, within } from './deadline.ts';
import { unavailable } from './errors.ts';
import { abortUpload } from './unfinished.ts';

/** Size of a part, in bytes. S3 accepts 10,000 parts, so blobs of up to 48 GiB. */
export const PART = 5 * 1024 * 1024;
/** Parts in transfer per upload, while one more is collected. With two, a process grew by up to 51 MiB. */
const PARTS_AT_ONCE = 1;

/** Multipart upload. A failure is `blobs.unavailable`, and may be thrown by a later call. */
export interface Parts {
  /** Sends a part, and returns its buffer to the pool when it has arrived. Resolves to a buffer for the next part. */
  send(part: Buffer<ArrayBuffer>): Promise<Buffer<ArrayBuffer>>;
  /** Sends the last part and completes the upload. */
  finish(last: Uint8Array): Promise<void>;
  /** Aborts the upload. If the server does not respond, housekeeping removes it later. */
  drop(): Promise<void>;
}

export interface Uploading {
  readonly sdk: Sdk;
  readonly client: S3Client;
  readonly limits: S3Limits;
  /** Buffers of the size of a part. Those of a failed upload may still be in transfer, and are not returned. */
  readonly buffers: Buffers;
}

export function createParts({ sdk, client, limits, buffers }: Uploading, { place, marker }: Target): Parts {
  const abort = new AbortController();
  const arrived: CompletedPart[] = [];
  const inTransfer = new Set<Promise<void>>();
  let failure: { readonly cause: unknown } | null = null;
  let begun: Promise<string> | null = null;
  let uploadId: string | null = null;
  /** True if this is certainly the only upload with this marker. */
  let isOnly = false;
  let sent = 0;

  const mark = (id: string, deadline: Deadline) =>
    client.send(new sdk.PutObjectCommand({ ...marker, Body: Buffer.from(id) }), deadline);

  /** Not aborted with the upload, because aborting requires its id. */
  function begin(): Promise<string> {
    return within(limits.request, async (deadline) => {
      await mark('', deadline);
      const command = new sdk.CreateMultipartUploadCommand({ ...place, ContentType: 'application/octet-stream' });
      const { UploadId, $metadata } = await client.send(command, deadline);
      if (UploadId === undefined) throw new Error('the server gave the upload no id');
      uploadId = UploadId;
      // A retried request may have started two uploads. Then the marker remains empty and represents both.
      isOnly = $metadata.attempts === 1;
      if (isOnly) await mark(UploadId, deadline);
      return UploadId;
    });
  }

  /** Removes the marker, or leaves it to housekeeping. */
  async function unmark(): Promise<void> {
    if (!isOnly) return;
    const command = new sdk.DeleteObjectCommand(marker);
    await within(DROP_MS, (deadline) => client.send(command, deadline)).catch(() => undefined);
  }

  async function uploadWithin(deadline: Deadline, Body: Uint8Array, PartNumber: number): Promise<void> {
    begun ??= begin();
    const command = new sdk.UploadPartCommand({ ...place, UploadId: await begun, PartNumber, Body });
    const { ETag } = await client.send(command, { ...deadline, requestTimeout: limits.part });
    arrived.push({ ETag, PartNumber });
  }

  const upload = (body: Uint8Array, number: number) =>
    within(limits.part, (deadline) => uploadWithin(deadline, body, number), [abort.signal]);

  function start(part: Uint8Array, then: () => void): void {
    sent++;
    const work: Promise<void> = upload(part, sent)
      .then(then, (cause: unknown) => {
        failure ??= { cause };
      })
      .finally(() => inTransfer.delete(work));
    inTransfer.add(work);
  }

  async function untilFewerThan(count: number): Promise<void> {
    while (inTransfer.size >= count) await Promise.race(inTransfer);
    if (failure !== null) throw unavailable(failure.cause);
  }

  return {
    async send(part) {
      await untilFewerThan(PARTS_AT_ONCE);
      start(part, () => buffers.give(part));
      return buffers.take();
    },
    async finish(last) {
      await within(limits.finish, async (deadline) => {
        start(last, () => undefined);
        await untilFewerThan(1);
        const Parts = arrived.sort((a, b) => Number(a.PartNumber) - Number(b.PartNumber));
        try {
          const UploadId = uploadId ?? undefined;
          const command = new sdk.CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts } });
          await client.send(command, { ...deadline, requestTimeout: limits.finish });
        } catch (error) {
          throw unavailable(error);
        }
      });
      await unmark();
    },
    async drop() {
      abort.abort();
      await Promise.all(inTransfer);
      const id = await begun?.catch(() => uploadId);
      if (!id) return;
      await within(DROP_MS, (deadline) => abortUpload({ sdk, client, deadline }, place, id)).then(
        unmark,
        () => undefined,
      );
    },
  };
}
