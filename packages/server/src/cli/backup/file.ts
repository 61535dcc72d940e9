import { createReadStream } from 'node:fs';
import { type FileHandle, link, open, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ArchiveError } from '@baobab/core';

/**
 * Maximum bytes not yet synced to disk. A database that syncs its own file to the same disk has to wait for them too.
 */
const MOST_UNSYNCED = 1_048_576;

const hasCode = (error: unknown, ...codes: string[]) =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

const taken = (path: string) =>
  new ArchiveError(`${path} already exists: choose another name, or overwrite it with --force`);

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/** Renames a complete file to its final name. @throws `ArchiveError` if the name exists, unless `force` is set */
async function publish(unfinished: string, path: string, force: boolean): Promise<void> {
  if (force) return rename(unfinished, path);
  try {
    await link(unfinished, path); // unlike a rename, fails if the name exists
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw taken(path);
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) throw error;
    return rename(unfinished, path); // a file system without hard links
  }
  await unlink(unfinished);
}

async function create(path: string, force: boolean): Promise<FileHandle> {
  try {
    return await open(path, force ? 'w' : 'wx', 0o600);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    throw new ArchiveError(
      `${path} already exists: another backup is writing it, or was interrupted; remove it, or overwrite it with --force`,
    );
  }
}

/** Refuses an unusable name before any work is done. */
async function checkName(path: string, force: boolean): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (found === null) return;
  if (!found.isFile()) throw new ArchiveError(`${path} exists and is not a file: choose another name`);
  if (!force) throw taken(path);
}

/**
 * Writes a file that appears at `path` only once it is complete and on disk. Until then, its name is
 * `<path>.unfinished`.
 *
 * @throws `ArchiveError` if the file exists, unless `force` is set
 */
export async function writeArchiveFile(path: string, bytes: AsyncIterable<Uint8Array>, force: boolean): Promise<void> {
  await checkName(path, force);
  const unfinished = `${path}.unfinished`;
  const file = await create(unfinished, force);
  try {
    let unsynced = 0;
    for await (const chunk of bytes) {
      await file.writeFile(chunk);
      unsynced += chunk.length;
      if (unsynced < MOST_UNSYNCED) continue;
      await file.datasync();
      unsynced = 0;
    }
    await file.sync();
    await file.close();
    await publish(unfinished, path, force);
    await syncFolder(dirname(path));
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(unfinished, { force: true });
    throw error;
  }
}

export const readArchiveFile = (path: string): AsyncIterable<Uint8Array> => createReadStream(path);
