import { ArchiveError, type OpenArchive } from '@baobab/core';
import { openS3Object } from '../../composition/archives.ts';
import { readArchiveFile, writeArchiveFile } from './file.ts';
import { withInput, writeToOutput } from './pipes.ts';
import type { ArchivePlace } from './place.ts';

type S3Place = Extract<ArchivePlace, { kind: 's3' }>;

/** Returns the name of a location for messages. */
export function nameOfPlace(place: ArchivePlace, pipe: string): string {
  if (place.kind === 'pipe') return pipe;
  return place.kind === 's3' ? place.name : place.path;
}

async function writeToS3({ object, name }: S3Place, bytes: AsyncIterable<Uint8Array>, force: boolean): Promise<void> {
  const target = openS3Object(object);
  try {
    await target.health();
    if (!force && (await target.exists())) {
      throw new ArchiveError(`${name} already exists: choose another name, or overwrite it with --force`);
    }
    await target.write(bytes);
  } finally {
    await target.close();
  }
}

/**
 * Writes an archive. An incomplete archive never has the final name, and existing ones are overwritten only with
 * `force`.
 *
 * @throws `ArchiveError`, `UsageError`, `blobs.*`, the errors of `bytes`
 */
export async function writeArchive(
  place: ArchivePlace,
  bytes: AsyncIterable<Uint8Array>,
  force: boolean,
): Promise<void> {
  if (place.kind === 'pipe') return writeToOutput(bytes);
  return place.kind === 's3' ? writeToS3(place, bytes, force) : writeArchiveFile(place.path, bytes, force);
}

/** Runs `work` with a function that opens the archive and can be called repeatedly. */
export async function withArchive<T>(place: ArchivePlace, work: (open: OpenArchive) => Promise<T>): Promise<T> {
  if (place.kind === 'pipe') return withInput(work);
  if (place.kind === 'file') return work(() => readArchiveFile(place.path));
  const source = openS3Object(place.object);
  try {
    await source.health();
    if (!(await source.exists())) throw new ArchiveError(`There is no ${place.name}`);
    return await work(() => source.read());
  } finally {
    await source.close();
  }
}
