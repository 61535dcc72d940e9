import { access, constants, mkdir, open, readdir, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, type BlobContent, type Blobs, type ByteRange } from '@baobab/core';
import { type Buffers, createBuffers } from '../buffers.ts';
import { isErrno, orNull, translating, unavailable } from './errors.ts';
import { fileOf, folderOf, INCOMING } from './layout.ts';
import { readPart } from './read.ts';
import { walk } from './walk.ts';
import { BLOCK, FOLDER_MODE, writeFile } from './write.ts';

export interface FilesystemOptions {
  /** Root folder; created if missing. */
  readonly path: string;
}

/**
 * Maximum concurrent reads with blocks, which take less processor time; further ones use chunks, which take less
 * memory.
 */
const READS_IN_BLOCKS = 64;
/** Bytes. */
const CHUNK_SIZE = 131_072;
/** Buffers kept for later reads and writes: 4 MiB in total. */
const KEPT = { chunks: 16, blocks: 4 } as const;

/** Removes an owner's folder with its last blob, unless a concurrent put needs it. */
async function removeEmpty(path: string): Promise<void> {
  await rmdir(path).catch((error: unknown) => {
    if (!isErrno(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error;
  });
}

/** Lends the buffers of a read. */
interface Lender {
  borrow(): { readonly buffers: Buffers; giveBack(): void };
}

function createLender(blocks: Buffers, chunks: Buffers): Lender {
  let inBlocks = 0;
  return {
    borrow() {
      if (inBlocks >= READS_IN_BLOCKS) return { buffers: chunks, giveBack: () => undefined };
      inBlocks++;
      return { buffers: blocks, giveBack: () => void inBlocks-- };
    },
  };
}

async function openBlob(path: string, range: ByteRange | undefined, lender: Lender): Promise<BlobContent | null> {
  const file = await orNull(open(path, 'r'));
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    const offset = Math.min(range?.offset ?? 0, size);
    const end = range === undefined ? size : Math.min(offset + range.length, size);
    if (end === offset) {
      await file.close();
      return { size, bytes: nothing(), dispose: () => undefined };
    }
    return { size, ...readPart(file, { offset, end }, lender.borrow()) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/**
 * Stores blobs as files in folders: `<path>/files/<shard>/<owner>/<name>`. Several processes may share a folder if its
 * file system has an atomic rename.
 */
export function createFilesystemBlobs({ path: root }: FilesystemOptions): Blobs {
  const chunks = createBuffers(CHUNK_SIZE, KEPT.chunks);
  const blocks = createBuffers(BLOCK, KEPT.blocks);
  const lender = createLender(blocks, chunks);
  let closed = false;

  /**
   * Translates errors of the file system. `put` does not use it, because errors of the caller's byte stream are passed
   * on.
   */
  async function whileOpen<T>(work: () => Promise<T>): Promise<T> {
    assertOpen();
    return translating(work);
  }

  function assertOpen(): void {
    if (closed) throw new AppError('blobs.unavailable', { detail: 'the blob store is closed' });
  }

  const pathOf = (key: string) => {
    const { folder, name } = fileOf(key);
    return join(root, folder, name);
  };

  return {
    async put(key, bytes) {
      assertOpen();
      return writeFile(root, fileOf(key), bytes, blocks);
    },
    get: (key, range) => whileOpen(() => openBlob(pathOf(key), range, lender)),
    stat: (key) =>
      whileOpen(async () => {
        const found = await orNull(stat(pathOf(key)));
        return found === null ? null : { size: found.size, created: Math.floor(found.mtimeMs) };
      }),
    remove: (key) =>
      whileOpen(async () => {
        const file = pathOf(key);
        const removed = (await orNull(unlink(file).then(() => true))) ?? false;
        await removeEmpty(dirname(file));
        return removed;
      }),
    removeGroup: (group) =>
      whileOpen(async () => {
        const folder = join(root, folderOf(group));
        let removed = 0;
        for (const name of (await orNull(readdir(folder))) ?? []) {
          if (await orNull(unlink(join(folder, name)).then(() => true))) removed++;
        }
        await removeEmpty(folder);
        return removed;
      }),
    list: (options) => whileOpen(() => walk(root, options)),
    removeUnfinished: (olderThan) =>
      whileOpen(async () => {
        const folder = join(root, INCOMING);
        let removed = 0;
        for (const name of (await orNull(readdir(folder))) ?? []) {
          const file = join(folder, name);
          const found = await orNull(stat(file));
          if (found === null || found.mtimeMs >= olderThan) continue;
          await rm(file, { force: true });
          removed++;
        }
        return removed;
      }),
    async health() {
      assertOpen();
      try {
        await mkdir(root, { recursive: true, mode: FOLDER_MODE });
        await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
      } catch (cause) {
        const never = isErrno(cause, 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST');
        throw never ? new AppError('blobs.misconfigured', { cause }) : unavailable(cause);
      }
    },
    async close() {
      closed = true;
    },
  };
}
