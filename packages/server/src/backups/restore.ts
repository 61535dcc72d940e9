import {
  type Archive,
  type Blobs,
  notEmpty,
  type OpenArchive,
  type RestoreOptions,
  restoreEntries,
} from '@baobab/core';
import { readTar } from './tar.ts';

interface RestoreArchiveOptions extends Pick<RestoreOptions, 'progress'> {
  readonly archive: Archive;
  readonly blobs: Blobs;
  /** Opens a verified archive. */
  readonly open: OpenArchive;
}

/** Restores a verified archive into an empty database. Resolves to the number of rows. @throws as `restoreEntries` */
export async function restoreArchive({ archive, blobs, open, progress }: RestoreArchiveOptions): Promise<number> {
  const target = await archive.target();
  try {
    if ((await target.unfinished()) !== null || !(await target.isEmpty())) throw notEmpty();
    return await restoreEntries({ target, blobs, entries: readTar(open), progress });
  } finally {
    await target.close();
  }
}
