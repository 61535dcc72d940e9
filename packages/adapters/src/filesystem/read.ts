import type { FileHandle } from 'node:fs/promises';
import { AppError, type BlobContent, isAppError } from '@baobab/core';
import type { Buffers } from '../buffers.ts';
import { unavailable } from './errors.ts';

interface Part {
  readonly offset: number;
  /** Offset after the last byte. */
  readonly end: number;
}

/** Fills `buffer`, which is no longer than the rest of the file. */
async function fill(file: FileHandle, buffer: Uint8Array, offset: number): Promise<void> {
  for (let read = 0; read < buffer.length; ) {
    const { bytesRead } = await file.read(buffer, read, buffer.length - read, offset + read);
    if (bytesRead === 0) throw new AppError('blobs.unavailable', { detail: 'the file became shorter during the read' });
    read += bytesRead;
  }
}

/**
 * Reads a part of an open file, then closes it and calls `giveBack`. One buffer is filled while the reader uses the
 * other; there is no third.
 */
export function readPart(
  file: FileHandle,
  { offset, end }: Part,
  { buffers, giveBack }: { readonly buffers: Buffers; giveBack(): void },
): Pick<BlobContent, 'bytes' | 'dispose'> {
  let at = offset;
  let ahead: { readonly buffer: Buffer<ArrayBuffer>; readonly filled: Promise<void> } | null = null;
  let closing: Promise<void> | null = null;

  function readAhead(): typeof ahead {
    if (at === end) return null;
    const buffer = end - at < buffers.size ? Buffer.allocUnsafeSlow(end - at) : buffers.take();
    const filled = fill(file, buffer, at);
    filled.catch(() => undefined); // reported to the reader that awaits it
    at += buffer.length;
    return { buffer, filled };
  }

  function recycle(buffer: Buffer<ArrayBuffer>): void {
    if (buffer.length === buffers.size) buffers.give(buffer);
  }

  /**
   * Waits for the current read, during which the file must not be closed. If the reader stopped early, its buffer may
   * still be in use, so it is not returned to the pool.
   */
  async function finish(): Promise<void> {
    await ahead?.filled.catch(() => undefined);
    if (ahead !== null) recycle(ahead.buffer);
    giveBack();
    await file.close().catch(() => undefined); // nothing was written
  }

  function close(): Promise<void> {
    closing ??= finish();
    return closing;
  }

  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (ahead = readAhead(); ahead !== null; ) {
        const { buffer, filled } = ahead;
        await filled;
        if (closing !== null)
          throw new AppError('blobs.unavailable', { detail: 'the blob was disposed of during the read' });
        ahead = readAhead();
        yield buffer;
        recycle(buffer);
      }
    } catch (error) {
      throw isAppError(error) ? error : unavailable(error);
    } finally {
      await close();
    }
  }

  return { bytes: chunks(), dispose: () => void close() };
}
