import { readFileSync } from 'node:fs';

/** Same order as in shim.c. */
const TYPES = ['', 'write', 'truncate', 'sync', 'create', 'rename', 'unlink', 'mkdir', 'rmdir'] as const;
const WORDS = 8;
const WORD = 8;
const HEAD = WORDS * WORD;

/** A change of a file or folder, or a sync, recorded by shim.c. */
export interface Entry {
  readonly type: (typeof TYPES)[number];
  /** Position in the journal. */
  readonly at: number;
  readonly inode: number;
  /** Write: offset. Truncation: new size. Sync: first entry that it does not cover. */
  readonly a: number;
  /** Previous size of the file. */
  readonly b: number;
  /** Folders whose sync makes a name change durable. */
  readonly folders: readonly number[];
  /** Replaced bytes, or a path. */
  readonly first: Buffer;
  /** Written bytes, or another path. */
  readonly second: Buffer;
}

/** Returns all complete entries. The last one may be cut off if the process was killed. */
export function readJournal(path: string): Entry[] {
  const bytes = readFileSync(path);
  const entries: Entry[] = [];
  for (let at = 0; at + HEAD <= bytes.length; ) {
    const word = (n: number) => Number(bytes.readBigUInt64LE(at + n * WORD));
    const [begin, middle] = [at + HEAD, at + HEAD + word(6)];
    const end = middle + word(7);
    const type = TYPES[word(0)];
    if (end > bytes.length) break;
    if (type === undefined || type === '') throw new Error(`the journal of the power shim is damaged at ${at}`);
    entries.push({
      type,
      at: entries.length,
      inode: word(1),
      a: word(2),
      b: word(3),
      folders: [word(4), word(5)],
      first: bytes.subarray(begin, middle),
      second: bytes.subarray(middle, end),
    });
    at = end;
  }
  return entries;
}
