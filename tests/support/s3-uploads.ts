import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { S3Options } from '@baobab/adapters/s3';

/** Access to a server's contents without the adapter. Keys are those of the adapter, without its prefix. */
export interface S3Witness {
  /** Returns the keys of all objects. */
  objects(): Promise<string[]>;
  put(key: string, text: string): Promise<void>;
  /** Resolves to the id of a multipart upload. */
  begin(key: string): Promise<string>;
  isUnderWay(key: string, uploadId: string): Promise<boolean>;
  /** Returns true if the server lists the uploads of a key. The server started by the tests does not. */
  lists(key: string, uploadId: string): Promise<boolean>;
  /** Removes all objects and uploads created here. */
  close(): Promise<void>;
}

export function createWitness({ bucket: Bucket, prefix, endpoint, region, credentials }: S3Options): S3Witness {
  const client = new S3Client({
    region,
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === null ? {} : { credentials }),
  });
  const begun: Array<{ readonly Key: string; readonly UploadId: string }> = [];
  const stored: string[] = [];
  const keyOf = (key: string) => `${prefix}/${key}`;
  return {
    async objects() {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: `${prefix}/` }));
      return Contents.map(({ Key = '' }) => Key.slice(prefix.length + 1));
    },
    async put(key, text) {
      stored.push(keyOf(key));
      await client.send(new PutObjectCommand({ Bucket, Key: keyOf(key), Body: text }));
    },
    async begin(key) {
      const Key = keyOf(key);
      const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
      begun.push({ Key, UploadId });
      return UploadId;
    },
    async isUnderWay(key, UploadId) {
      // Not every server can list parts, but every server rejects one for an unknown upload.
      const part = { Bucket, Key: keyOf(key), UploadId, PartNumber: 1, Body: 'x' };
      return client.send(new UploadPartCommand(part)).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Error && error.name === 'NoSuchUpload') return false;
          throw error;
        },
      );
    },
    async lists(key, uploadId) {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: keyOf(key) }));
      return Uploads.some(({ UploadId }) => UploadId === uploadId);
    },
    async close() {
      for (const upload of begun) {
        await client.send(new AbortMultipartUploadCommand({ Bucket, ...upload })).catch(() => undefined);
      }
      for (const Key of stored) await client.send(new DeleteObjectCommand({ Bucket, Key }));
      client.destroy();
    },
  };
}
