import { type Stats, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Logger } from '@baobab/core';
import type { Config } from './config.ts';

const GROUP = 0o070;
const OTHERS = 0o007;

/** Local folder in which the server stores data. */
export interface DataFolder {
  readonly path: string;
  /** Variable that sets the path. */
  readonly variable: string;
}

/** True if a path is a folder or lies in it. */
const isWithin = (path: string, folder: string) => !/^(\.\.|\/)/.test(relative(folder, path));

/** Returns the variable that sets the path of the database or of the blobs. */
export const variableOf = {
  database: (path: string, { dataDir }: Config) => (path === join(dataDir, 'baobab.db') ? 'DATA_DIR' : 'DATABASE_URL'),
  blobs: (path: string, { dataDir }: Config) => (path === join(dataDir, 'blobs') ? 'DATA_DIR' : 'BLOB_URL'),
};

/** Returns the local folders in which the server stores data or its key, with absolute paths. */
export function dataFolders(config: Config): DataFolder[] {
  const { dataDir, database, blobs, backups, secretKey } = config;
  const folders: DataFolder[] = [];
  if (secretKey === null && database.kind !== 'memory') folders.push({ path: dataDir, variable: 'DATA_DIR' });
  if (database.kind === 'sqlite') {
    folders.push({ path: dirname(database.path), variable: variableOf.database(database.path, config) });
  }
  if (blobs.kind === 'file') folders.push({ path: blobs.path, variable: variableOf.blobs(blobs.path, config) });
  if (backups?.kind === 'file') folders.push({ path: backups.path, variable: 'BACKUP_URL' });
  return folders.map(({ path, variable }) => ({ path: resolve(path), variable }));
}

/** Returns the folder that contains a path, or the data folder if none does. */
export function folderOf(path: string, config: Config): DataFolder {
  const [innermost] = dataFolders(config)
    .filter((folder) => isWithin(path, folder.path))
    .sort((a, b) => b.path.length - a.path.length);
  return innermost ?? { path: config.dataDir, variable: 'DATA_DIR' };
}

/** Data folder that other users of the machine can read. */
interface OpenFolder {
  readonly folder: string;
  readonly mode: string;
  /** Command that makes it private. */
  readonly remedy: string;
}

/**
 * Returns permissions of a folder that other users have and the server does not need. Group 0 has no more than root has
 * anyway. A server that does not own the folder needs the permissions of its group, as in containers with arbitrary
 * user ids.
 */
function excessOf({ mode, uid, gid }: Stats): number {
  const isGroupNeeded = gid === 0 || uid !== process.getuid?.();
  return mode & (isGroupNeeded ? OTHERS : OTHERS | GROUP);
}

/** Returns the data folders that other users of the machine can read. */
export function openFolders(config: Config): readonly OpenFolder[] {
  // Windows has no file modes.
  if (process.platform === 'win32') return [];
  // Folders inside the data folder are protected by its permissions.
  const paths = dataFolders(config).map(({ path }) => (isWithin(path, config.dataDir) ? config.dataDir : path));
  return [...new Set(paths)].flatMap((folder) => {
    const found = statSync(folder, { throwIfNoEntry: false });
    // A file in place of the folder is a different fault, which changing its mode does not fix.
    const excess = found?.isDirectory() ? excessOf(found) : 0;
    if (found === undefined || excess === 0) return [];
    const remedy = `chmod ${(excess & GROUP) === 0 ? 'o' : 'go'}-rwx ${folder}`;
    return [{ folder, mode: (found.mode & 0o777).toString(8), remedy }];
  });
}

/**
 * Warns about data folders that other users of the machine can read. Folders that the server creates are private;
 * existing ones may not be.
 */
export function warnOfOpenFolders(config: Config, logger: Logger): void {
  for (const open of openFolders(config)) {
    logger.warn(open, 'data folder is accessible to other users of this machine; run the command in "remedy"');
  }
}
