import type { ArchiveKind, ArchiveRow, ArchiveSource } from '../ports/archive.ts';

/** An incremental digest, such as `createHash('sha256')` of Node. */
export interface Digest {
  update(text: string): unknown;
  digest(encoding: 'hex'): string;
}

/** A row as a line of JSON, its columns in the order of their names: the same from every database. */
export function rowLine(row: ArchiveRow): string {
  const columns = Object.keys(row).sort();
  return `{${columns.map((column) => `${JSON.stringify(column)}:${JSON.stringify(row[column])}`).join(',')}}\n`;
}

/** A digest and a count that show whether two sources hold the same rows of a kind. */
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
