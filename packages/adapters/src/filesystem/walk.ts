import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type BlobPage, parseBlobKey } from '@baobab/core';
import { orNull } from './errors.ts';
import { fileOf, shardOf } from './layout.ts';

/** Area, shard, owner, name. */
const DEPTH = 4;

/** Returns the position of a blob in the walk, which visits each folder in the order of names. */
function placeOf(cursor: string | null): readonly string[] {
  const key = cursor === null ? null : parseBlobKey(cursor);
  return key === null ? [] : [key.area, shardOf(key.owner), key.owner, key.name];
}

/**
 * Yields the path of each file `DEPTH` folders down, after the file at the path `after`. Only one folder of each depth
 * is in memory at a time.
 */
async function* filesIn(path: string, after: readonly string[], above: readonly string[]): AsyncGenerator<string[]> {
  const [from = '', ...rest] = after;
  const names = ((await orNull(readdir(path))) ?? []).filter((name) => name >= from).sort();
  for (const name of names) {
    const way = [...above, name];
    if (way.length < DEPTH) yield* filesIn(join(path, name), name === from ? rest : [], way);
    else if (name !== from) yield way;
  }
}

/** Yields the keys of blobs after `cursor`. Other files in the folders are skipped. */
async function* keysBehind(root: string, cursor: string | null): AsyncGenerator<string> {
  for await (const [area = '', shard = '', owner = '', name = ''] of filesIn(root, placeOf(cursor), [])) {
    const key = `${area}/${owner}/${name}`;
    if (parseBlobKey(key) !== null && shardOf(owner) === shard) yield key;
  }
}

/** Returns one page of the walk over all blobs, see `Blobs.list`. */
export async function walk(
  root: string,
  { olderThan, cursor, limit }: { readonly olderThan: number; readonly cursor: string | null; readonly limit: number },
): Promise<BlobPage> {
  const keys: string[] = [];
  let last = cursor;
  let looked = 0;
  for await (const key of keysBehind(root, cursor)) {
    if (looked === limit) return { keys, cursor: last };
    looked++;
    last = key;
    const { folder, name } = fileOf(key);
    const found = await orNull(stat(join(root, folder, name)));
    if (found?.isFile() && found.mtimeMs < olderThan) keys.push(key);
  }
  return { keys, cursor: null };
}
