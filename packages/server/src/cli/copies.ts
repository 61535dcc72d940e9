import { createHash } from 'node:crypto';
import { type Blobs, backupEntries, type Logger, notEmpty, restoreEntries, transfer } from '@baobab/core';
import { API_VERSION } from '@baobab/http';
import { openArchive, openBlobs } from '../composition/archives.ts';
import { type Config, type Environment, parseConfig } from '../config.ts';
import type { Output } from './output.ts';
import { readTar, verifyTar, writeTar } from './tar.ts';
import { createThrottle, throttledBlobs, throttledSource } from './throttle.ts';

const createDigest = () => createHash('sha256');

export interface CopyDeps {
  readonly env: Environment;
  readonly logger: Logger;
  readonly output: Output;
}

/** The configuration of the environment with another `DATABASE_URL` and `BLOB_URL`. */
function configOf(env: Environment, database: string | undefined, blobs: string | undefined): Config {
  return parseConfig({
    ...env,
    ...(database === undefined ? {} : { DATABASE_URL: database }),
    ...(blobs === undefined ? {} : { BLOB_URL: blobs }),
  });
}

async function using<T>(blobs: readonly Blobs[], work: () => Promise<T>): Promise<T> {
  try {
    for (const store of blobs) await store.health();
    return await work();
  } finally {
    for (const store of blobs) await store.close();
  }
}

const total = (rows: Readonly<Record<string, number>>) => Object.values(rows).reduce((sum, n) => sum + n, 0);

export interface BackupArguments {
  readonly to: string;
  /** See `createThrottle`. */
  readonly throttle: number;
}

/** Writes a backup of everything into one file. */
export async function backup(
  { env, logger, output }: CopyDeps,
  { to, throttle: factor }: BackupArguments,
): Promise<void> {
  const throttle = createThrottle(factor);
  const config = parseConfig(env);
  const archive = openArchive(config.database, logger);
  const blobs = openBlobs(config.blobs);
  await using([blobs], async () => {
    const rows: Record<string, number> = {};
    const entries = backupEntries({
      open: async () => throttledSource(await archive.source(), throttle),
      blobs: throttledBlobs(blobs, throttle),
      program: API_VERSION,
      created: new Date().toISOString(),
      progress(step, done, all) {
        if (step !== 'blobs') rows[step] = done;
        output.progress(step, done, all);
      },
    });
    await writeTar(to, entries, throttle);
    output.result(`${total(rows)} rows written to ${to}`, { file: to, rows });
  });
}

/** Restores a backup file into an empty database. */
export async function restore({ env, logger, output }: CopyDeps, { from }: { readonly from: string }): Promise<void> {
  const config = parseConfig(env);
  await verifyTar(from);
  const blobs = openBlobs(config.blobs);
  await using([blobs], async () => {
    const target = await openArchive(config.database, logger).target();
    try {
      if ((await target.unfinished()) !== null || !(await target.isEmpty())) throw notEmpty();
      const rows = await restoreEntries({ target, blobs, entries: readTar(from), progress: output.progress });
      output.result(`${rows} rows restored from ${from}`, { file: from, rows });
    } finally {
      await target.close();
    }
  });
}

/** The URL of a database without its password. */
function nameOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

export interface TransferArguments {
  readonly from: string;
  readonly to: string;
  readonly blobsFrom?: string;
  readonly blobsTo?: string;
}

/** Copies a database into an empty one. */
export async function move({ env, logger, output }: CopyDeps, args: TransferArguments): Promise<void> {
  const [source, target] = [configOf(env, args.from, args.blobsFrom), configOf(env, args.to, args.blobsTo)];
  const movesBlobs = args.blobsTo !== undefined;
  const stores = movesBlobs ? [openBlobs(source.blobs), openBlobs(target.blobs)] : [];
  await using(stores, async () => {
    const [from, to] = stores;
    const { rows, blobs, isResumed } = await transfer({
      from: openArchive(source.database, logger),
      to: openArchive(target.database, logger),
      name: nameOf(args.from),
      blobs: from === undefined || to === undefined ? null : { from, to },
      createDigest,
      progress: output.progress,
    });
    const how = isResumed ? ', continuing an interrupted transfer' : '';
    output.result(`${total(rows)} rows and ${blobs} blobs copied and compared${how}`, { rows, blobs, isResumed });
  });
}
