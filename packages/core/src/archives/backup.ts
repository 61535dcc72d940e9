import type { ArchiveKind, ArchiveRow, ArchiveSource, ArchiveTarget } from '../ports/archive.ts';
import type { ReadEntry } from '../ports/backups.ts';
import type { BlobKey, Blobs } from '../ports/blobs.ts';
import { blobsOf, type RowBlob } from './blobs.ts';
import { ArchiveError, damaged } from './errors.ts';
import { rowLine } from './rows.ts';
import type { Progress } from './transfer.ts';

/** An entry of an archive: text, or bytes of a known size. */
export type ArchiveEntry =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly size: number; readonly bytes: AsyncIterable<Uint8Array> };

/** Format version. Archives with another one are rejected. */
const ARCHIVE_FORMAT = 1;
/** First entry of an archive. */
export const MANIFEST = 'manifest.json';
/** Maximum length of an entry with rows, in characters. A longer row has a separate entry. */
const MAX_ENTRY_LENGTH = 262_144;

interface Manifest {
  readonly format: number;
  readonly program: string;
  readonly created: string;
}

export interface BackupOptions {
  /** Takes a snapshot of all rows. */
  readonly open: () => Promise<ArchiveSource>;
  readonly blobs: Pick<Blobs, 'get'>;
  readonly program: string;
  /** ISO 8601. */
  readonly created: string;
  /** Called once, before anything is copied. */
  readonly begun?: (size: BackupSize) => void;
  /** The last call for each kind contains the number of rows written. */
  readonly progress: Progress;
}

/** Amount of data to copy. */
export interface BackupSize {
  /** Approximate. */
  readonly rows: number;
  readonly blobs: number;
  /** Size of all blobs, in bytes. */
  readonly blobBytes: number;
}

/** Kinds whose rows belong to a file or an asset, with the column of its id. */
const OWNER_COLUMNS: Readonly<Record<string, string>> = { files: 'id', file_grants: 'file', assets: 'id' };

/** Yields lines of rows, in entries of limited length. */
async function* entryTexts(
  batches: AsyncIterable<readonly ArchiveRow[]>,
  counting: (rows: number) => void,
): AsyncGenerator<string> {
  let text = '';
  for await (const rows of batches) {
    counting(rows.length);
    for (const row of rows) {
      const line = rowLine(row);
      if (text !== '' && text.length + line.length > MAX_ENTRY_LENGTH) {
        yield text;
        text = '';
      }
      text += line;
    }
  }
  if (text !== '') yield text;
}

/** Yields the rows of a kind, without those of files and assets whose bytes have been removed. */
async function* rowsToCopy(
  source: ArchiveSource,
  kind: ArchiveKind,
  removed: ReadonlySet<string>,
): AsyncGenerator<readonly ArchiveRow[]> {
  const column = OWNER_COLUMNS[kind.name];
  for await (const rows of source.read(kind, null)) {
    yield column === undefined || removed.size === 0 ? rows : rows.filter((row) => !removed.has(String(row[column])));
  }
}

async function* rowEntries(
  source: ArchiveSource,
  removed: ReadonlySet<string>,
  progress: Progress,
): AsyncGenerator<ArchiveEntry> {
  for (const kind of source.kinds) {
    const total = await source.estimate(kind);
    let written = 0;
    const counting = (rows: number) => {
      written += rows;
      progress(kind.name, written, Math.max(written, total));
    };
    let part = 0;
    for await (const text of entryTexts(rowsToCopy(source, kind, removed), counting)) {
      part++;
      yield { name: `rows/${kind.name}/${String(part).padStart(6, '0')}.ndjson`, text };
    }
    progress(kind.name, written, written);
  }
}

/** Returns the blobs of the current rows. */
async function listBlobs({ open, begun }: BackupOptions): Promise<RowBlob[]> {
  const source = await open();
  try {
    const blobs: RowBlob[] = [];
    for await (const blob of blobsOf(source)) blobs.push(blob);
    if (begun !== undefined) {
      let rows = 0;
      for (const kind of source.kinds) rows += await source.estimate(kind);
      begun({ rows, blobs: blobs.length, blobBytes: blobs.reduce((sum, { size }) => sum + size, 0) });
    }
    return blobs;
  } finally {
    await source.close();
  }
}

/**
 * Yields all entries of an archive, in order: the header, blobs, rows. Each must be read before the next. The rows form
 * one snapshot, and so do the files and assets in it. Files and assets removed before their bytes could be read are
 * left out, with their rows.
 *
 * Blobs take the longest and never change under their key. They are therefore read before the snapshot is taken, which
 * keeps the database busy, except for those added meanwhile. Blobs whose row was removed in between are in the archive
 * too. After a restore, housekeeping removes these orphans.
 *
 * @throws `storage.*`, `blobs.*`
 */
export async function* backupEntries(options: BackupOptions): AsyncGenerator<ArchiveEntry> {
  const { open, blobs, program, created, progress } = options;
  const manifest: Manifest = { format: ARCHIVE_FORMAT, program, created };
  yield { name: MANIFEST, text: `${JSON.stringify(manifest)}\n` };
  const copied = new Set<BlobKey>();

  async function* copy({ key }: RowBlob): AsyncGenerator<ArchiveEntry> {
    const content = await blobs.get(key);
    if (content === null) return;
    copied.add(key);
    yield { name: `blobs/${key}`, size: content.size, bytes: content.bytes };
  }

  const present = await listBlobs(options);
  for (const blob of present) {
    yield* copy(blob);
    progress('blobs', copied.size, present.length);
  }
  const source = await open();
  try {
    const removed = new Set<string>();
    for await (const blob of blobsOf(source)) {
      if (!copied.has(blob.key)) yield* copy(blob);
      if (!copied.has(blob.key)) removed.add(blob.owner);
    }
    yield* rowEntries(source, removed, progress);
  } finally {
    await source.close();
  }
}

export interface RestoreOptions {
  readonly target: ArchiveTarget;
  readonly blobs: Blobs;
  readonly entries: AsyncIterable<ReadEntry>;
  readonly progress: Progress;
}

function checkManifest(text: string): void {
  const { format } = JSON.parse(text) as Partial<Manifest>;
  if (format !== ARCHIVE_FORMAT)
    throw new ArchiveError(`The archive has format ${format}; this program reads ${ARCHIVE_FORMAT}`);
}

/** Reads the first entry of an archive. @throws `ArchiveError` if this program cannot restore the archive */
export async function checkManifestOf(entries: AsyncIterable<ReadEntry>): Promise<void> {
  for await (const { name, text } of entries) {
    if (name !== MANIFEST) throw damaged(`it begins with ${name}`);
    checkManifest(await text());
    return;
  }
}

function parseRows(text: string): ArchiveRow[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as ArchiveRow]));
}

/**
 * Restores an archive into an empty target, all or nothing: rows in one transaction, and blobs stored before a failure
 * are removed.
 *
 * @throws `ArchiveError`, `storage.*`, `blobs.*`
 */
export async function restoreEntries({ target, blobs, entries, progress }: RestoreOptions): Promise<number> {
  const kinds = new Map(target.kinds.map((kind) => [kind.name, kind]));
  const put: string[] = [];
  let restored = 0;

  async function restore({ name, bytes, text }: ReadEntry, write: ArchiveTarget['write']): Promise<void> {
    const [area = '', ...rest] = name.split('/');
    if (name === MANIFEST) checkManifest(await text());
    else if (area === 'blobs') {
      const key = rest.join('/');
      put.push(key);
      await blobs.put(key, bytes);
      progress('blobs', put.length, put.length);
    } else {
      const kind = area === 'rows' ? kinds.get(rest[0] ?? '') : undefined;
      if (kind === undefined) throw damaged(`unknown entry ${name}`);
      const rows = parseRows(await text());
      await write(kind, rows);
      restored += rows.length;
      progress(kind.name, restored, restored);
    }
  }

  try {
    await target.fill(async (write) => {
      for await (const entry of entries) await restore(entry, write);
    });
  } catch (error) {
    for (const key of put) await blobs.remove(key).catch(() => false);
    throw error;
  }
  return restored;
}
