import { readFileSync } from 'node:fs';

/** As in shim.c. */
const TYPES = ['', 'write', 'truncate', 'sync', 'create', 'rename', 'unlink', 'mkdir', 'rmdir'] as const;
const WORDS = 8;
const WORD = 8;
const HEAD = WORDS * WORD;

/** A change of a file or folder, or a sync, as shim.c noted it. */
export interface Entry {
  readonly type: (typeof TYPES)[number];
  /** Its place in the journal. */
  readonly at: number;
  readonly inode: number;
  /** Of a write: its offset. Of a truncation: the new size. Of a sync: the first entry that it does not cover. */
  readonly a: number;
  /** The size of the file before. */
  readonly b: number;
  /** The folders whose syncs make a change of names durable. */
  readonly folders: readonly number[];
  /** The bytes that were replaced, or a path. */
  readonly first: Buffer;
  /** The bytes that were written, or another path. */
  readonly second: Buffer;
}

/** All complete entries: the last one may have been cut off when the process was killed. */
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
