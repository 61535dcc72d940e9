import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StoredBlob } from '@baobab/core';
import type { Buffers } from '../buffers.ts';
import { isErrno, unavailable } from './errors.ts';
import { INCOMING } from './layout.ts';

/** So much is gathered while as much is written. Bytes. */
export const BLOCK = 524_288;
/**
 * So much of a file waits for the disk at most, about: the disk works while bytes come, and nobody else who wants something
 * to be durable waits behind two gigabytes in the end. Bytes.
 */
const UNSYNCED = 67_108_864;
/** How often a folder is made again that somebody removes at the same moment. */
const MAX_ATTEMPTS = 10;

/** Writes all of it; what the operating system takes is not always everything. */
async function writeBlock(file: FileHandle, block: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < block.length; ) {
    done += (await file.write(block, done, block.length - done, at + done)).bytesWritten;
  }
}

/** Writes blocks one behind the other while the next is gathered. Errors are `blobs.unavailable`, told by a later call. */
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

  /** What has been written until now; one at a time. */
  function syncMeanwhile(): void {
    if (unsynced < UNSYNCED || syncing !== null) return;
    unsynced = 0;
    syncing = watched(writing.then(() => file.datasync())).then(() => {
      syncing = null;
    });
  }

  return {
    /** Resolves when the block before has been written: this one is needed until the next call has resolved. */
    async write(block: Uint8Array): Promise<void> {
      await writing;
      assertWell();
      writing = watched(writeBlock(file, block, size));
      size += block.length;
      unsynced += block.length;
      syncMeanwhile();
    },
    /** Resolves when nothing is under way: then the file may be closed. */
    async settle(): Promise<void> {
      await writing;
      await syncing;
    },
    /** Makes durable what was written. */
    async finish(): Promise<void> {
      await writing;
      await syncing;
      await watched(file.sync());
      assertWell();
    },
  };
}

/**
 * Reads and writes at the same time. The bytes are copied into two blocks that are used in turn, since their pieces are
 * only lent. Errors of `bytes` are theirs.
 */
async function copyInto(file: FileHandle, bytes: AsyncIterable<Uint8Array>, blocks: Buffers): Promise<StoredBlob> {
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
    for await (const piece of bytes) {
      hash.update(piece);
      for (let taken = 0; taken < piece.length; ) {
        const part = piece.subarray(taken, taken + filling.length - filled);
        filling.set(part, filled);
        filled += part.length;
        taken += part.length;
        if (filled === filling.length) await flush();
      }
    }
    if (filled > 0) await flush();
    await writer.finish();
  } finally {
    await writer.settle();
    for (const block of [filling, spare]) blocks.give(block);
  }
  return { size, sha256: hash.digest('hex') };
}

/** Makes what was renamed or created in a folder survive a power loss. Not every system can: then it is as it is. */
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

/** For the user of the service alone. */
export const FOLDER_MODE = 0o700;

/** Makes a folder and those above it, durable. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** A removal of the last blob of an owner takes the folder with it, at any moment: then it is made again. */
async function moveInto(folder: string, temporary: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      // Somebody who removes the last blob of a folder may remove the folder, also while it is being made.
      await makeFolder(folder);
      await rename(temporary, target);
      break;
    } catch (error) {
      if (!isErrno(error, 'ENOENT') || attempt === MAX_ATTEMPTS) throw error;
    }
  }
  // It was there. When the folder is gone by now, somebody has removed the blob since.
  await syncFolder(folder).catch((error: unknown) => {
    if (!isErrno(error, 'ENOENT')) throw error;
  });
}

/** Writes a file beside, and moves it to its place when it is whole and on the disk. */
export async function writeFile(
  root: string,
  place: { readonly folder: string; readonly name: string },
  bytes: AsyncIterable<Uint8Array>,
  blocks: Buffers,
): Promise<StoredBlob> {
  const temporary = join(root, INCOMING, randomUUID());
  const folder = join(root, place.folder);
  let file: FileHandle;
  try {
    await mkdir(join(root, INCOMING), { recursive: true, mode: FOLDER_MODE });
    file = await open(temporary, 'wx', 0o600);
  } catch (cause) {
    throw unavailable(cause);
  }
  try {
    let stored: StoredBlob;
    try {
      stored = await copyInto(file, bytes, blocks);
    } finally {
      await file.close();
    }
    await moveInto(folder, temporary, join(folder, place.name)).catch((cause: unknown) => {
      throw unavailable(cause);
    });
    return stored;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined); // the sweeper takes it then
    throw error;
  }
}
