import type { Archive, ArchiveSource, ArchiveTarget } from '../ports/archive.ts';
import type { Blobs } from '../ports/blobs.ts';
import { blobsOf, type RowBlob } from './blobs.ts';
import { ArchiveError, notEmpty } from './errors.ts';
import { type Digest, digestOf } from './rows.ts';

/** Reports the progress of a kind of rows, of `blobs`, or of the final comparison (`check <kind>`). */
export type Progress = (step: string, done: number, total: number) => void;

export interface TransferOptions {
  readonly from: Archive;
  readonly to: Archive;
  /** Names the source without secrets. Only a transfer from the same source can be resumed. */
  readonly name: string;
  /** Null if both databases use the same blob store. */
  readonly blobs: { readonly from: Blobs; readonly to: Blobs } | null;
  createDigest(): Digest;
  readonly progress: Progress;
}

export interface Transferred {
  /** Number of rows by kind. */
  readonly rows: Readonly<Record<string, number>>;
  readonly blobs: number;
  /** True if an interrupted transfer was resumed. */
  readonly isResumed: boolean;
}

/** Resolves to true if a transfer is resumed. @throws `ArchiveError` if the target contains other data */
async function prepare(target: ArchiveTarget, name: string): Promise<boolean> {
  const unfinished = await target.unfinished();
  if (unfinished === name) return true;
  if (unfinished !== null) {
    throw new ArchiveError(
      `The target holds part of a transfer from ${unfinished}: resume that transfer, or empty the target`,
    );
  }
  if (!(await target.isEmpty())) throw notEmpty();
  await target.begin(name);
  return false;
}

async function copyRows(source: ArchiveSource, target: ArchiveTarget, progress: Progress): Promise<void> {
  for (const kind of source.kinds) {
    const total = await source.estimate(kind);
    const after = await target.last(kind);
    // Batches are written atomically by ascending key, so all rows up to `after` have been written.
    let done = after === null ? 0 : await target.count(kind);
    progress(kind.name, done, Math.max(done, total));
    for await (const rows of source.read(kind, after)) {
      await target.write(kind, rows);
      done += rows.length;
      progress(kind.name, done, Math.max(done, total));
    }
  }
}

async function copyBlob({ key, size, sha256 }: RowBlob, from: Blobs, to: Blobs): Promise<void> {
  const present = await to.stat(key);
  if (present?.size === size) return;
  const content = await from.get(key);
  if (content === null) throw new ArchiveError(`The blob ${key} is missing in the source`);
  const stored = await to.put(key, content.bytes);
  if (stored.sha256 !== sha256) throw new ArchiveError(`The blob ${key} does not match its stored SHA-256`);
}

/** @throws `ArchiveError` if the rows of a kind differ */
async function compare(source: ArchiveSource, target: ArchiveTarget, options: TransferOptions) {
  const rows: Record<string, number> = {};
  const written = await target.source();
  try {
    for (const kind of source.kinds) {
      const [is, should] = [
        await digestOf(written, kind, options.createDigest()),
        await digestOf(source, kind, options.createDigest()),
      ];
      if (is.digest !== should.digest) {
        const found = `${is.count} rows of ${kind.name} in the target, ${should.count} in the source`;
        throw new ArchiveError(`The source changed during the transfer: ${found}. Stop its writers, empty the target`);
      }
      rows[kind.name] = is.count;
      options.progress(`check ${kind.name}`, is.count, is.count);
    }
  } finally {
    await written.close();
  }
  return rows;
}

/**
 * Copies everything from one database to another, empty one, with the blobs. Resumes an interrupted transfer. The
 * source must not be written to meanwhile; at the end all rows are compared.
 *
 * @throws `ArchiveError`, `storage.*`, `blobs.*`
 */
export async function transfer(options: TransferOptions): Promise<Transferred> {
  const { from, to, name, blobs, progress } = options;
  const source = await from.source();
  try {
    const target = await to.target();
    try {
      const isResumed = await prepare(target, name);
      await copyRows(source, target, progress);
      let copied = 0;
      if (blobs !== null) {
        for await (const blob of blobsOf(source)) {
          await copyBlob(blob, blobs.from, blobs.to);
          copied++;
          progress('blobs', copied, copied);
        }
      }
      const rows = await compare(source, target, options);
      await target.finish();
      return { rows, blobs: copied, isResumed };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
