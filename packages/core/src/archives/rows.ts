import type { ArchiveKind, ArchiveRow, ArchiveSource } from '../ports/archive.ts';

/** An incremental digest, such as `createHash('sha256')` of Node. */
export interface Digest {
  update(text: string): unknown;
  digest(encoding: 'hex'): string;
}

/** Returns a row as a line of JSON, with its columns ordered by name. Identical for every database. */
export function rowLine(row: ArchiveRow): string {
  const columns = Object.keys(row).sort();
  return `{${columns.map((column) => `${JSON.stringify(column)}:${JSON.stringify(row[column])}`).join(',')}}\n`;
}

/** Returns a digest and a count by which the rows of a kind in two sources are compared. */
export async function digestOf(
  source: ArchiveSource,
  kind: ArchiveKind,
  digest: Digest,
): Promise<{ readonly count: number; readonly digest: string }> {
  let count = 0;
  for await (const rows of source.read(kind, null)) {
    count += rows.length;
    digest.update(rows.map(rowLine).join(''));
  }
  return { count, digest: digest.digest('hex') };
}
