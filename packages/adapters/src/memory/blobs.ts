import { createHash } from 'node:crypto';
import { AppError, type BlobContent, type BlobKey, type Blobs } from '@baobab/core';

interface KeptBlob {
  readonly bytes: Uint8Array;
  readonly created: number;
}

/** Size of a chunk, in bytes. */
const CHUNK_SIZE = 65_536;

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_SIZE) yield bytes.subarray(at, at + CHUNK_SIZE);
}

/** Stores blobs in the memory of this process. @param now returns the creation time of a blob */
export function createMemoryBlobs({ now = Date.now }: { readonly now?: () => number } = {}): Blobs {
  const kept = new Map<BlobKey, KeptBlob>();
  let closed = false;

  function assertOpen(): void {
    if (closed) throw new AppError('blobs.unavailable', { detail: 'the blob store is closed' });
  }

  return {
    async put(key, bytes) {
      assertOpen();
      const hash = createHash('sha256');
      const chunks: Uint8Array[] = [];
      for await (const chunk of bytes) {
        assertOpen();
        hash.update(chunk);
        chunks.push(Uint8Array.from(chunk));
      }
      const whole = Buffer.concat(chunks);
      kept.set(key, { bytes: whole, created: now() });
      return { size: whole.length, sha256: hash.digest('hex') };
    },
    async get(key, range): Promise<BlobContent | null> {
      assertOpen();
      const blob = kept.get(key);
      if (blob === undefined) return null;
      const { offset, length } = range ?? { offset: 0, length: blob.bytes.length };
      return {
        size: blob.bytes.length,
        bytes: chunks(blob.bytes.subarray(offset, offset + length)),
        dispose: () => undefined,
      };
    },
    async stat(key) {
      assertOpen();
      const blob = kept.get(key);
      return blob === undefined ? null : { size: blob.bytes.length, created: blob.created };
    },
    async remove(key) {
      assertOpen();
      return kept.delete(key);
    },
    async removeGroup(group) {
      assertOpen();
      const keys = Array.from(kept.keys()).filter((key) => key.startsWith(`${group}/`));
      for (const key of keys) kept.delete(key);
      return keys.length;
    },
    async list({ olderThan, cursor, limit }) {
      assertOpen();
      const behind = Array.from(kept.keys())
        .filter((key) => cursor === null || key > cursor)
        .sort();
      const page = behind.slice(0, limit);
      return {
        keys: page.filter((key) => (kept.get(key)?.created ?? olderThan) < olderThan),
        cursor: behind.length > limit ? (page.at(-1) ?? null) : null,
      };
    },
    async removeUnfinished() {
      assertOpen();
      return 0; // unfinished uploads end with the process
    },
    async health() {
      assertOpen();
    },
    async close() {
      closed = true;
      kept.clear();
    },
  };
}
