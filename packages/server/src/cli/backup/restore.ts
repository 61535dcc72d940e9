import { inUse, type OpenArchive } from '@baobab/core';
import { restoreArchive } from '../../backups/restore.ts';
import { verifyTar } from '../../backups/tar.ts';
import { openArchive, openBlobs } from '../../composition/archives.ts';
import { parseConfig } from '../../config.ts';
import type { CommandDeps } from '../deps.ts';
import { using } from '../stores.ts';
import { nameOfPlace, withArchive } from './archive-place.ts';
import { parsePlace } from './place.ts';

/** Restores an archive into an empty database. */
export async function restore(deps: CommandDeps, { from }: { readonly from: string }): Promise<void> {
  const { env, logger, output } = deps;
  const config = parseConfig(env);
  const place = parsePlace(from, env);
  const archive = openArchive(config.database, logger);

  async function restoreFrom(open: OpenArchive): Promise<number> {
    await verifyTar(open);
    if (await archive.isInUse()) throw inUse();
    const blobs = openBlobs(config.blobs);
    return using([blobs], () => restoreArchive({ archive, blobs, open, progress: output.progress }));
  }

  const rows = await withArchive(place, restoreFrom);
  output.result(`${rows} rows restored from ${nameOfPlace(place, 'the standard input')}`, { file: from, rows });
}
