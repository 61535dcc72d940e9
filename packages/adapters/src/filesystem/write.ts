import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StoredBlob } from '@baobab/core';
import type { Buffers } from '../buffers.ts';
import { isErrno, unavailable } from './errors.ts';
import { INCOMING } from './layout.ts';

/** Number of bytes that are collected while the same number is written. */
export const BLOCK = 524_288;
/**
 * Approximate maximum of unsynced bytes per file. The disk works while bytes arrive, and a concurrent sync does not
 * wait for gigabytes at the end.
 */
const UNSYNCED = 67_108_864;
/** Maximum attempts to create a folder that is concurrently removed. */
const MAX_ATTEMPTS = 10;

/** Writes the whole block; the operating system may accept only a part at a time. */
async function writeBlock(file: FileHandle, block: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < block.length; ) {
    done += (await file.write(block, done, block.length - done, at + done)).bytesWritten;
  }
}

/** Writes blocks in sequence while the next is collected. Errors are `blobs.unavailable`, thrown by a later call. */
function createWriter(file: FileHandle) {
  let failure: { readonly cause: unknown } | null = null;
  let writing: Promise<void> = Promise.resolve();
  let syncing: Promise<void> | null = null;
  let [size, unsynced] = [0, 0];

  function assertWell(): void {
    if (failure !== null) throw unavailable(failure.cause);
  }

  function watched(work: Promise<void>): Promise<void> {
    return work.catch((cause: unknown) => {
      failure ??= { cause };
    });
  }

  /** Syncs the bytes written so far; one sync at a time. */
  function syncMeanwhile(): void {
    if (unsynced < UNSYNCED || syncing !== null) return;
    unsynced = 0;
    syncing = watched(writing.then(() => file.datasync())).then(() => {
      syncing = null;
    });
  }

  return {
    /** Resolves when the previous block is written. `block` must not change until the next call has resolved. */
    async write(block: Uint8Array): Promise<void> {
      await writing;
      assertWell();
      writing = watched(writeBlock(file, block, size));
      size += block.length;
      unsynced += block.length;
      syncMeanwhile();
    },
    /** Resolves when no write is in progress, so that the file may be closed. */
    async settle(): Promise<void> {
      await writing;
      await syncing;
    },
    /** Makes the written bytes durable. */
    async finish(): Promise<void> {
      await writing;
      await syncing;
      await watched(file.sync());
      assertWell();
    },
  };
}

/**
 * Reads and writes concurrently. The bytes are copied into two alternating blocks, because a chunk is valid only until
 * the next one is requested. Errors of `bytes` are passed on unchanged.
 *
 * @param alongside starts when all bytes have arrived, and runs while they are made durable
 */
async function copyInto(
  file: FileHandle,
  bytes: AsyncIterable<Uint8Array>,
  blocks: Buffers,
  alongside: () => Promise<void>,
): Promise<StoredBlob> {
  const hash = createHash('sha256');
  const writer = createWriter(file);
  let [filling, spare] = [blocks.take(), blocks.take()];
  let filled = 0;
  let size = 0;

  async function flush(): Promise<void> {
    await writer.write(filling.subarray(0, filled));
    size += filled;
    filled = 0;
    [filling, spare] = [spare, filling];
  }

  try {
    for await (const chunk of bytes) {
      hash.update(chunk);
      for (let taken = 0; taken < chunk.length; ) {
        const part = chunk.subarray(taken, taken + filling.length - filled);
        filling.set(part, filled);
        filled += part.length;
        taken += part.length;
        if (filled === filling.length) await flush();
      }
    }
    if (filled > 0) await flush();
    const ended = await Promise.allSettled([writer.finish(), alongside()]);
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
  } finally {
    await writer.settle();
    for (const block of [filling, spare]) blocks.give(block);
  }
  return { size, sha256: hash.digest('hex') };
}

/** Makes renames and new files in a folder survive a power loss, on systems that support it. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch (error) {
    if (!isErrno(error, 'EINVAL', 'EISDIR', 'EPERM', 'EBADF')) throw error;
  } finally {
    await folder.close();
  }
}

/** Only the server's user has access. */
export const FOLDER_MODE = 0o700;

/** Creates a folder and its parents durably. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  const parents: string[] = [];
  for (let made = path; made.length >= first.length; made = dirname(made)) parents.push(dirname(made));
  // In parallel, because a file system with a journal makes them durable together.
  await Promise.all(parents.map(syncFolder));
}

/** Moves a file into a folder, which may have been removed concurrently with its last blob. */
async function moveInto(folder: string, temporary: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      if (attempt > 1) await makeFolder(folder);
      await rename(temporary, target);
      break;
    } catch (error) {
      if (!isErrno(error, 'ENOENT') || attempt === MAX_ATTEMPTS) throw error;
    }
  }
  // The rename succeeded. If the folder is gone by now, the blob has been removed since.
  await syncFolder(folder).catch((error: unknown) => {
    if (!isErrno(error, 'ENOENT')) throw error;
  });
}

/** Creates a file in the folder of puts in progress, and the folder if it is missing. */
async function openTemporary(root: string, path: string): Promise<FileHandle> {
  const create = () => open(path, 'wx', 0o600);
  try {
    return await create().catch(async (error: unknown) => {
      if (!isErrno(error, 'ENOENT')) throw error;
      await mkdir(join(root, INCOMING), { recursive: true, mode: FOLDER_MODE });
      return create();
    });
  } catch (cause) {
    throw unavailable(cause);
  }
}

/** Writes to a temporary file, and moves it to its final path once it is complete and on disk. */
export async function writeFile(
  root: string,
  place: { readonly folder: string; readonly name: string },
  bytes: AsyncIterable<Uint8Array>,
  blocks: Buffers,
): Promise<StoredBlob> {
  const temporary = join(root, INCOMING, randomUUID());
  const folder = join(root, place.folder);
  const file = await openTemporary(root, temporary);
  /** Makes the folder durable at the same time as the bytes: with a journal, that is one wait instead of two. */
  const makeReady = () =>
    makeFolder(folder).catch((cause: unknown) => {
      if (!isErrno(cause, 'ENOENT')) throw unavailable(cause); // removed again concurrently: the move recreates it
    });
  try {
    let stored: StoredBlob;
    try {
      stored = await copyInto(file, bytes, blocks, makeReady);
    } finally {
      await file.close();
    }
    await moveInto(folder, temporary, join(folder, place.name)).catch((cause: unknown) => {
      throw unavailable(cause);
    });
    return stored;
  } catch (error) {
    // Housekeeping removes anything that cannot be removed now.
    await rm(temporary, { force: true }).catch(() => undefined);
    await rmdir(folder).catch(() => undefined); // fails unless it is empty
    throw error;
  }
}
