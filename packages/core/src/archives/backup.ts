import type { ArchiveKind, ArchiveRow, ArchiveSource, ArchiveTarget } from '../ports/archive.ts';
import type { BlobKey, Blobs } from '../ports/blobs.ts';
import { blobsOf, type RowBlob } from './blobs.ts';
import { ArchiveError, damaged } from './errors.ts';
import { rowLine } from './rows.ts';
import type { Progress } from './transfer.ts';

/** One thing in an archive: text, or bytes of a known size. */
export type ArchiveEntry =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly size: number; readonly bytes: AsyncIterable<Uint8Array> };

/** The version of what follows; another one may mean anything. */
export const ARCHIVE_FORMAT = 1;
const MANIFEST = 'manifest.json';
/** Rows of one entry come to no more characters than this, or are one row. */
const MAX_ENTRY_LENGTH = 262_144;

interface Manifest {
  readonly format: number;
  readonly program: string;
  readonly created: string;
}

export interface BackupOptions {
  /** Takes a picture of all rows, as of now. */
  readonly open: () => Promise<ArchiveSource>;
  readonly blobs: Pick<Blobs, 'get'>;
  readonly program: string;
  /** ISO 8601. */
  readonly created: string;
  /** What it tells last of a kind is how many rows of it were written. */
  readonly progress: Progress;
}

/** Kinds whose rows belong to a file or an asset, and the column that says to which. */
const OF_OWNERS: Readonly<Record<string, string>> = { files: 'id', file_grants: 'file', assets: 'id' };

/** Lines of rows in pieces of a bounded length. */
async function* pieces(
  batches: AsyncIterable<readonly ArchiveRow[]>,
  counting: (rows: number) => void,
): AsyncGenerator<string> {
  let piece = '';
  for await (const rows of batches) {
    counting(rows.length);
    for (const row of rows) {
      const line = rowLine(row);
      if (piece !== '' && piece.length + line.length > MAX_ENTRY_LENGTH) {
        yield piece;
        piece = '';
      }
      piece += line;
    }
  }
  if (piece !== '') yield piece;
}

/** The rows of a kind, without those of files and assets whose bytes have gone. */
async function* kept(
  source: ArchiveSource,
  kind: ArchiveKind,
  gone: ReadonlySet<string>,
): AsyncGenerator<readonly ArchiveRow[]> {
  const column = OF_OWNERS[kind.name];
  for await (const rows of source.read(kind, null)) {
    yield column === undefined || gone.size === 0 ? rows : rows.filter((row) => !gone.has(String(row[column])));
  }
}

async function* rowEntries(
  source: ArchiveSource,
  gone: ReadonlySet<string>,
  progress: Progress,
): AsyncGenerator<ArchiveEntry> {
  for (const kind of source.kinds) {
    const total = await source.estimate(kind);
    let written = 0;
    const counting = (rows: number) => {
      written += rows;
      progress(kind.name, written, Math.max(written, total));
    };
    let piece = 0;
    for await (const text of pieces(kept(source, kind, gone), counting)) {
      piece++;
      yield { name: `rows/${kind.name}/${String(piece).padStart(6, '0')}.ndjson`, text };
    }
    progress(kind.name, written, written);
  }
}

/** What has bytes now. */
async function blobsAtPresent(open: BackupOptions['open']): Promise<RowBlob[]> {
  const source = await open();
  try {
    const blobs: RowBlob[] = [];
    for await (const blob of blobsOf(source)) blobs.push(blob);
    return blobs;
  } finally {
    await source.close();
  }
}

/**
 * Everything there is, one entry after the other, each to be read before the next: what the archive is, bytes, rows. The
 * rows are those of one moment, and so are the files and assets among them: what was removed before their bytes could be
 * read is left out, row and all.
 *
 * Bytes take the longest and never change under their key. They are read before the picture is taken, which a database
 * has to hold on to, but for those that come meanwhile. Bytes whose row has gone by then are in the archive as well; such
 * orphans are swept after a restore.
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

  const present = await blobsAtPresent(open);
  for (const blob of present) {
    yield* copy(blob);
    progress('blobs', copied.size, present.length);
  }
  const source = await open();
  try {
    const gone = new Set<string>();
    for await (const blob of blobsOf(source)) {
      if (!copied.has(blob.key)) yield* copy(blob);
      if (!copied.has(blob.key)) gone.add(blob.owner);
    }
    yield* rowEntries(source, gone, progress);
  } finally {
    await source.close();
  }
}

/** An entry of an archive that is known to be whole. */
export interface ReadEntry {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  text(): Promise<string>;
}

export interface RestoreOptions {
  readonly target: ArchiveTarget;
  readonly blobs: Blobs;
  readonly entries: AsyncIterable<ReadEntry>;
  readonly progress: Progress;
}

function checkManifest(text: string): void {
  const { format } = JSON.parse(text) as Partial<Manifest>;
  if (format !== ARCHIVE_FORMAT) throw new ArchiveError(`The archive has format ${format}; known is ${ARCHIVE_FORMAT}`);
}

function parseRows(text: string): ArchiveRow[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as ArchiveRow]));
}

/**
 * Puts an archive into an empty target, all or nothing: rows together, and the bytes that were put before are removed
 * when that fails.
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
      if (kind === undefined) throw damaged(`nothing is known of ${name}`);
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
