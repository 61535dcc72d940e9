import { statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Logger } from '@baobab/core';
import type { Config } from './config.ts';

const OTHERS = 0o077;

/** A local folder in which the service keeps something. */
export interface DataFolder {
  readonly path: string;
  /** The variable from which its path comes. */
  readonly variable: string;
}

/** Whether a path is a folder itself or lies in it. */
const isWithin = (path: string, folder: string) => !/^(\.\.|\/)/.test(relative(folder, path));

/** The variable from which the path of the database or of the blobs comes. */
export const variableOf = {
  database: (path: string, { dataDir }: Config) => (path === join(dataDir, 'baobab.db') ? 'DATA_DIR' : 'DATABASE_URL'),
  blobs: (path: string, { dataDir }: Config) => (path === join(dataDir, 'blobs') ? 'DATA_DIR' : 'BLOB_URL'),
};

/** The local folders in which the service keeps data or its key. */
export function dataFolders(config: Config): DataFolder[] {
  const { dataDir, database, blobs, secretKey } = config;
  const folders: DataFolder[] = [];
  if (secretKey === null && database.kind !== 'memory') folders.push({ path: dataDir, variable: 'DATA_DIR' });
  if (database.kind === 'sqlite') {
    folders.push({ path: dirname(database.path), variable: variableOf.database(database.path, config) });
  }
  if (blobs.kind === 'file') folders.push({ path: blobs.path, variable: variableOf.blobs(blobs.path, config) });
  return folders;
}

/** The folder that contains a path; the data folder when none does. */
export function folderOf(path: string, config: Config): DataFolder {
  const [innermost] = dataFolders(config)
    .filter((folder) => isWithin(path, folder.path))
    .sort((a, b) => b.path.length - a.path.length);
  return innermost ?? { path: config.dataDir, variable: 'DATA_DIR' };
}

/** Data folders that other users of the machine can read, with their modes. */
export function openFolders(config: Config): ReadonlyArray<{ readonly folder: string; readonly mode: string }> {
  // Windows has no file modes.
  if (process.platform === 'win32') return [];
  // Inside the data folder, the permissions of the data folder decide.
  const paths = dataFolders(config).map(({ path }) => (isWithin(path, config.dataDir) ? config.dataDir : path));
  return [...new Set(paths)].flatMap((folder) => {
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
