import {
  closeSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Entry, readJournal } from './journal.ts';

/** Unit of disk writes, in bytes. */
const SECTOR = 512;

/** Part of the unsynced changes that survives. */
type Survival =
  /** No change. */
  | 'none'
  /** For writes, a random half of the sectors; for name changes, a random number of the first ones. */
  | 'some';

/** Effects of a power cut. */
export interface Cut {
  /** Number of unsynced writes and truncations. */
  readonly unsynced: number;
  readonly unsyncedBytes: number;
  /** Number of unsynced name changes. */
  readonly names: number;
  /** Number of syncs of the database file: one per checkpoint. */
  readonly checkpoints: number;
  /** True if writes to the database file itself were unsynced. */
  readonly duringCheckpoint: boolean;
}

interface Options {
  readonly folder: string;
  readonly trash: string;
  readonly journal: string;
  readonly database: string;
  readonly survival: Survival;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

const isData = ({ type }: Entry) => type === 'write' || type === 'truncate';

/** Returns the paths of all files by inode. */
function filesByInode(folders: readonly string[]): Map<number, string> {
  const found = new Map<number, string>();
  for (const folder of folders) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) found.set(statSync(path).ino, path);
    }
  }
  return found;
}

function takeBack(file: number, { type, a, b, first, second }: Entry): void {
  if (first.length > 0) writeSync(file, first, 0, first.length, a);
  if (type === 'truncate' || a + second.length > b) ftruncateSync(file, b);
}

/** Reapplies the part of a change that reached the disk. */
function survive(file: number, { type, a, second }: Entry, random: () => number): void {
  if (type === 'truncate') {
    if (random() < 0.5) ftruncateSync(file, a);
    return;
  }
  for (let at = 0; at < second.length; ) {
    const length = Math.min(SECTOR - ((a + at) % SECTOR), second.length - at);
    if (random() < 0.5) writeSync(file, second, at, length, a + at);
    at += length;
  }
}

function loseData(entries: readonly Entry[], { folder, trash, survival, random }: Options): void {
  const paths = filesByInode([folder, trash]);
  const byInode = new Map<number, Entry[]>();
  for (const entry of entries) byInode.set(entry.inode, [...(byInode.get(entry.inode) ?? []), entry]);
  for (const [inode, changes] of byInode) {
    const path = paths.get(inode);
    if (path === undefined) continue;
    const file = openSync(path, 'r+');
    for (const change of changes.toReversed()) takeBack(file, change);
    if (survival === 'some') for (const change of changes) survive(file, change, random);
    closeSync(file);
  }
}

const inodeAt = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.ino ?? null;

/** Reverts a name change. The process may have been killed between the entry and the change. */
function restoreName({ type, inode, first, second }: Entry): void {
  const [path, other] = [first.toString(), second.toString()];
  if (type === 'create' || type === 'mkdir') {
    if (inodeAt(path) === inode) rmSync(path, { recursive: true, force: true });
  } else if (type === 'rename') {
    if (inodeAt(other) === inode) renameSync(other, path);
  } else if (type === 'unlink' && inodeAt(path) === null && inodeAt(dirname(path)) !== null) {
    renameSync(other, path);
  }
}

/**
 * Leaves the files of a killed process as after a power cut: reverts unsynced changes according to `survival`. A
 * deleted folder stays deleted, because only empty ones are deleted.
 */
export function cutPower(options: Options): Cut {
  const entries = readJournal(options.journal);
  const synced = new Map<number, number>();
  for (const { type, inode, a } of entries) if (type === 'sync') synced.set(inode, a);
  const isSynced = (inode: number, at: number) => at < (synced.get(inode) ?? 0);

  const data = entries.filter((entry) => isData(entry) && !isSynced(entry.inode, entry.at));
  const names = entries.filter(
    ({ type, at, folders }) =>
      type !== 'sync' && type !== 'write' && type !== 'truncate' && !folders.some((folder) => isSynced(folder, at)),
  );
  const database = inodeAt(options.database);

  loseData(data, options);
  const surviving = options.survival === 'some' ? Math.floor(options.random() * (names.length + 1)) : 0;
  for (const change of names.slice(surviving).toReversed()) restoreName(change);

  for (const name of readdirSync(options.trash)) rmSync(join(options.trash, name));
  rmSync(`${options.database}-shm`, { force: true });
  writeFileSync(options.journal, '');
  return {
    unsynced: data.length,
    unsyncedBytes: data.reduce((sum, { type, first, second }) => sum + (type === 'write' ? second : first).length, 0),
    names: names.length,
    checkpoints: entries.filter(({ type, inode }) => type === 'sync' && inode === database).length,
    duringCheckpoint: data.some(({ inode }) => inode === database),
  };
}
