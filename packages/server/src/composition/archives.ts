import { createPostgresArchive, createSqliteArchive } from '@baobab/adapters/archive';
import { createS3Object, type S3Object } from '@baobab/adapters/s3';
import { createSystemClock } from '@baobab/adapters/system';
import { type Archive, ArchiveError, type Blobs, type Logger } from '@baobab/core';
import type { BlobConfig, DatabaseConfig, S3Config } from '../config.ts';
import { createBlobs } from './blobs.ts';

/** Opens a database as the source or target of a copy. @throws `ArchiveError` for a memory database */
export function openArchive(database: DatabaseConfig, logger: Logger): Archive {
  switch (database.kind) {
    case 'memory':
      throw new ArchiveError('memory: stores nothing that could be copied');
    case 'sqlite':
      return createSqliteArchive({ path: database.path, logger });
    case 'postgres':
      return database.listenUrl === null
        ? createPostgresArchive({ url: database.url, logger })
        : createPostgresArchive({ url: database.listenUrl, variable: 'DATABASE_LISTEN_URL', logger });
  }
}

export const openBlobs = (config: BlobConfig): Blobs => createBlobs(config, createSystemClock());

/** Opens one object on S3; the prefix is its complete key. */
export const openS3Object = ({ prefix, ...bucket }: S3Config): S3Object => createS3Object(bucket, prefix);
