import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { inUse, transfer } from '@baobab/core';
import { openArchive, openBlobs } from '../composition/archives.ts';
import { databaseLocation, parseDatabaseUrl } from '../config/database-url.ts';
import { type Config, type Environment, parseConfig } from '../config.ts';
import type { CommandDeps } from './deps.ts';
import { total, using } from './stores.ts';
import { UsageError } from './usage-error.ts';

const createDigest = () => createHash('sha256');

/** Parses the environment with a different `DATABASE_URL` and `BLOB_URL`. */
function configOf(env: Environment, database: string | undefined, blobs: string | undefined): Config {
  return parseConfig({
    ...env,
    ...(database === undefined ? {} : { DATABASE_URL: database }),
    ...(blobs === undefined ? {} : { BLOB_URL: blobs }),
  });
}

/** Returns the URL of a database without its password. */
function nameOf(url: string): string {
  return parseDatabaseUrl(url)?.kind === 'postgres' ? `postgres://${databaseLocation(url)}` : url;
}

const placeOf = ({ database }: Config): string =>
  database.kind === 'postgres'
    ? databaseLocation(database.url)
    : database.kind === 'sqlite'
      ? resolve(database.path)
      : '';

interface TransferArguments {
  readonly from: string;
  readonly to: string;
  readonly blobsFrom?: string;
  readonly blobsTo?: string;
}

/** Copies a database into an empty one. */
export async function transferDatabase({ env, logger, output }: CommandDeps, args: TransferArguments): Promise<void> {
  const [source, target] = [configOf(env, args.from, args.blobsFrom), configOf(env, args.to, args.blobsTo)];
  if (placeOf(source) === placeOf(target)) throw new UsageError('--from and --to name the same database');
  const movesBlobs = args.blobsTo !== undefined;
  const stores = movesBlobs ? [openBlobs(source.blobs), openBlobs(target.blobs)] : [];
  await using(stores, async () => {
    const [from, to] = stores;
    const archive = openArchive(target.database, logger);
    if (await archive.isInUse()) throw inUse();
    const { rows, blobs, isResumed } = await transfer({
      from: openArchive(source.database, logger),
      to: archive,
      name: nameOf(args.from),
      blobs: from === undefined || to === undefined ? null : { from, to },
      createDigest,
      progress: output.progress,
    });
    const how = isResumed ? ', continuing an interrupted transfer' : '';
    output.result(`${total(rows)} rows and ${blobs} blobs copied and compared${how}`, { rows, blobs, isResumed });
  });
}
