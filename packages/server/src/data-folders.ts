import { statSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type { Logger } from '@baobab/core';
import type { Config } from './config.ts';

const OTHERS = 0o077;

const isBelow = (path: string, folder: string) => !/^(\.\.|\/)/.test(relative(folder, path));

/** Folders on this machine in which the service keeps data or its key. */
function dataFolders({ dataDir, database, blobs, secretKey }: Config): Set<string> {
  const folders = new Set<string>();
  if (database.kind === 'sqlite') folders.add(dirname(database.path));
  // Below the data folder that one decides who gets there.
  if (blobs.kind === 'file') folders.add(isBelow(blobs.path, dataDir) ? dataDir : blobs.path);
  if (secretKey === null && database.kind !== 'memory') folders.add(dataDir);
  return folders;
}

/** Folders that the service makes are closed to others; one that was there may be open. */
export function warnOfOpenFolders(config: Config, logger: Logger): void {
  // Windows has no modes.
  if (process.platform === 'win32') return;
  for (const folder of dataFolders(config)) {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found === undefined || (found.mode & OTHERS) === 0) continue;
    const mode = (found.mode & 0o777).toString(8);
    logger.warn({ folder, mode }, 'other users of this machine can look into a data folder; close it with "chmod 700"');
  }
}
