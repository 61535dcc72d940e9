import { ArchiveError, backupEntries, type WriteWatch } from '@baobab/core';
import { API_VERSION } from '@baobab/http/format';
import { tarOf } from '../../backups/tar.ts';
import { createThrottle, type Factor, throttledBlobs, throttledSource, underLoad } from '../../backups/throttle.ts';
import { openArchive, openBlobs } from '../../composition/archives.ts';
import { parseConfig } from '../../config.ts';
import type { CommandDeps } from '../deps.ts';
import { total, using } from '../stores.ts';
import { nameOfPlace, writeArchive } from './archive-place.ts';
import { parsePlace } from './place.ts';
import { createBackupProgress } from './progress.ts';

interface BackupArguments {
  readonly to: string;
  readonly force: boolean;
  /** See `createThrottle`. Absent: pauses only while the database is under load. */
  readonly throttle?: number;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs interruptible `work`. The second signal ends the program immediately. */
async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  function stop(signal: NodeJS.Signals): void {
    release();
    stopping.abort(new ArchiveError(`The backup was stopped by ${signal}, and is not complete`));
  }
  function release(): void {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    return await work(stopping.signal);
  } finally {
    release();
  }
}

/** Writes a backup of all data to one archive. */
export async function backup({ env, logger, output }: CommandDeps, args: BackupArguments): Promise<void> {
  const config = parseConfig(env);
  const place = parsePlace(args.to, env);
  const archive = openArchive(config.database, logger);
  const blobs = openBlobs(config.blobs);
  const progress = createBackupProgress(() => performance.now());
  const rows: Record<string, number> = {};
  let isBegun = false;

  async function write(factor: Factor, signal: AbortSignal): Promise<void> {
    const throttle = createThrottle(factor, signal);
    const entries = backupEntries({
      open: async () => throttledSource(await archive.source(), throttle),
      blobs: throttledBlobs(blobs, throttle),
      program: API_VERSION,
      created: new Date().toISOString(),
      begun(size) {
        isBegun = true;
        progress.begun(size);
      },
      progress(step, done) {
        if (step !== 'blobs') rows[step] = done;
        progress.rows(total(rows));
      },
    });
    const bytes = tarOf(entries, {
      signal,
      async added(entry, count) {
        progress.added(entry, count);
        if (isBegun) output.status(progress.text);
        await throttle.pause();
      },
    });
    await writeArchive(place, bytes, args.force);
  }

  await using([blobs], () =>
    interruptible(async (signal) => {
      if (args.throttle !== undefined) return write(args.throttle, signal);
      const watch: WriteWatch = await archive.watchWrites();
      return write(underLoad(watch), signal).finally(() => watch.close());
    }),
  );
  const to = nameOfPlace(place, 'the standard output');
  output.result(`${total(rows)} rows written to ${to}`, { file: place.kind === 'file' ? place.path : args.to, rows });
}
