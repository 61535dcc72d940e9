import { notEmpty, restoreEntries } from '@baobab/core';
import { openArchive, openBlobs } from '../../composition/archives.ts';
import { parseConfig } from '../../config.ts';
import type { CommandDeps } from '../deps.ts';
import { using } from '../stores.ts';
import { nameOfPlace, withArchive } from './archive-place.ts';
import { parsePlace } from './place.ts';
import { type OpenArchive, readTar, verifyTar } from './tar.ts';

/** Restores an archive into an empty database. */
export async function restore(deps: CommandDeps, { from }: { readonly from: string }): Promise<void> {
  const { env, logger, output } = deps;
  const config = parseConfig(env);
  const place = parsePlace(from, env);
  const archive = openArchive(config.database, logger);

  async function restoreFrom(open: OpenArchive): Promise<number> {
    await verifyTar(open);
    const blobs = openBlobs(config.blobs);
    return using([blobs], async () => {
      const target = await archive.target();
      try {
        if ((await target.unfinished()) !== null || !(await target.isEmpty())) throw notEmpty();
        return await restoreEntries({ target, blobs, entries: readTar(open), progress: output.progress });
      } finally {
        await target.close();
      }
    });
  }

  const rows = await withArchive(place, restoreFrom);
  output.result(`${rows} rows restored from ${nameOfPlace(place, 'the standard input')}`, { file: from, rows });
}
