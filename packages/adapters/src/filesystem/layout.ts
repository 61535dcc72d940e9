import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type BlobGroup, type BlobKey, parseBlobKey } from '@baobab/core';

/** Folder of puts in progress, on the same file system, so that they end with a rename. */
export const INCOMING = '.incoming';

/** Number of hexadecimal digits in a shard's name: 4,096 folders, so that ten million owners are 2,400 in each. */
const SHARD_DIGITS = 3;

export function shardOf(owner: string): string {
  return createHash('sha256').update(owner).digest('hex').slice(0, SHARD_DIGITS);
}

/** Returns the folder of a group, relative to the root: `files/a3f/<owner>`. */
export function folderOf(group: BlobGroup): string {
  const parsed = parseBlobKey(`${group}/x`);
  if (parsed === null) throw new TypeError(`"${group}" is no group of blobs`);
  return join(parsed.area, shardOf(parsed.owner), parsed.owner);
}

/** Returns the file of a blob, relative to the root: `files/a3f/<owner>/original`. */
export function fileOf(key: BlobKey): { readonly folder: string; readonly name: string } {
  const parsed = parseBlobKey(key);
  if (parsed === null) throw new TypeError(`"${key}" is no key of a blob`);
  return { folder: join(parsed.area, shardOf(parsed.owner), parsed.owner), name: parsed.name };
}
