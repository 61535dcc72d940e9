import { blobKey } from '../blobs/keys.ts';
import type { ArchiveKind, ArchiveRow, ArchiveSource } from '../ports/archive.ts';
import type { BlobKey } from '../ports/blobs.ts';

/** The original blob of a row. Variants are not copied, because they can be recreated. */
export interface RowBlob {
  readonly key: BlobKey;
  readonly size: number;
  readonly sha256: string;
  /** Id of the row. */
  readonly owner: string;
}

const AREAS = { files: 'files', assets: 'assets' } as const;

function blobOf({ name }: ArchiveKind, { id, size, sha256 }: ArchiveRow): RowBlob | null {
  if (name !== 'files' && name !== 'assets') return null;
  if (typeof id !== 'string' || typeof size !== 'number' || typeof sha256 !== 'string') return null;
  return { key: blobKey(AREAS[name], id), size, sha256, owner: id };
}

/** Yields the blobs that rows refer to. */
export async function* blobsOf(source: ArchiveSource): AsyncGenerator<RowBlob> {
  for (const kind of source.kinds.filter(({ name }) => name in AREAS)) {
    for await (const rows of source.read(kind, null)) {
      for (const row of rows) {
        const blob = blobOf(kind, row);
        if (blob !== null) yield blob;
      }
    }
  }
}
