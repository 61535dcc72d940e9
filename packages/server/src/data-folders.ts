import { statSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type { Logger } from '@baobab/core';
import type { Config } from './config.ts';

const OTHERS = 0o077;

const isBelow = (path: string, folder: string) => !/^(\.\.|\/)/.test(relative(folder, path));

/** Local folders in which the service keeps data or its key. */
function dataFolders({ dataDir, database, blobs, secretKey }: Config): Set<string> {
  const folders = new Set<string>();
  if (database.kind === 'sqlite') folders.add(dirname(database.path));
  // Inside the data folder, the permissions of the data folder decide.
  if (blobs.kind === 'file') folders.add(isBelow(blobs.path, dataDir) ? dataDir : blobs.path);
  if (secretKey === null && database.kind !== 'memory') folders.add(dataDir);
  return folders;
}

/** Data folders that other users of the machine can read, with their modes. */
export function openFolders(config: Config): ReadonlyArray<{ readonly folder: string; readonly mode: string }> {
  // Windows has no file modes.
  if (process.platform === 'win32') return [];
  return [...dataFolders(config)].flatMap((folder) => {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found === undefined || (found.mode & OTHERS) === 0) return [];
    return [{ folder, mode: (found.mode & 0o777).toString(8) }];
  });
}

/**
 * Warns about data folders that other users of the machine can read. Folders that the service creates are private;
 * existing ones may not be.
 */
export function warnOfOpenFolders(config: Config, logger: Logger): void {
  for (const open of openFolders(config)) {
    logger.warn(open, 'data folder is accessible to other users of this machine; run "chmod 700" on it');
  }
}
