import type { ArchiveKind, ArchiveRow, ArchiveSource, ArchiveTarget } from '../ports/archive.ts';
import type { Blobs } from '../ports/blobs.ts';
import { blobsOf } from './blobs.ts';
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
const MAX_ENTRY_LENGTH = 1_048_576;

interface Manifest {
  readonly format: number;
  readonly program: string;
  readonly created: string;
}

export interface BackupOptions {
  readonly source: ArchiveSource;
  readonly blobs: Pick<Blobs, 'get'>;
  readonly program: string;
  /** ISO 8601. */
  readonly created: string;
  /** What it tells last of a kind is how many rows of it were written. */
  readonly progress: Progress;
}

/** Kinds whose rows belong to one of `files`. */
const OF_FILES: Readonly<Record<string, string>> = { files: 'id', file_grants: 'file' };

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

/** The rows of a kind, without those of files whose bytes have gone. */
async function* kept(
  source: ArchiveSource,
  kind: ArchiveKind,
  gone: ReadonlySet<string>,
): AsyncGenerator<readonly ArchiveRow[]> {
  const column = OF_FILES[kind.name];
  for await (const rows of source.read(kind, null)) {
    yield column === undefined || gone.size === 0 ? rows : rows.filter((row) => !gone.has(String(row[column])));
  }
}

/**
 * Everything of a source, one entry after the other, each to be read before the next: what the archive is, bytes, rows.
 * Bytes come first: a file that was removed after the picture was taken is then left out of the rows, too.
 *
 * @throws `ArchiveError` when bytes of an asset are missing, `storage.*`, `blobs.*`
 */
export async function* backupEntries(options: BackupOptions): AsyncGenerator<ArchiveEntry> {
  const { source, blobs, program, created, progress } = options;
  const manifest: Manifest = { format: ARCHIVE_FORMAT, program, created };
  yield { name: MANIFEST, text: `${JSON.stringify(manifest)}\n` };
  const gone = new Set<string>();
  let done = 0;
  for await (const { key, owner } of blobsOf(source)) {
    const content = await blobs.get(key);
    if (content === null) gone.add(owner);
    else yield { name: `blobs/${key}`, size: content.size, bytes: content.bytes };
    done++;
    progress('blobs', done, done);
  }
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
