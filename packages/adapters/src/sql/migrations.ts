import { AppError, type Logger, type SchemaStatus } from '@baobab/core';

/** One step of the schema, never edited after its release. Its version is its index in the list, from 1. */
export interface Migration {
  readonly name: string;
  /** Run in one transaction. It must be short, because servers wait for its locks. */
  readonly statements: readonly string[];
}

/** Reads the number of applied migrations. A database without a schema has no such table. */
export const READ_VERSION = 'select version from schema_version';

export interface VersionRow {
  readonly version: number;
}

/** @throws `storage.schema_too_new` if the database is ahead of a program that knows `all` */
export function assertKnown(all: readonly Migration[], version: number): void {
  if (version <= all.length) return;
  throw new AppError('storage.schema_too_new', {
    detail: `its schema has version ${version}, this program knows up to ${all.length}: start a newer program`,
  });
}

function stateOf(all: readonly Migration[], version: number): SchemaStatus['state'] {
  if (version === all.length) return 'current';
  return version < all.length ? 'behind' : 'ahead';
}

/** Returns the schema status of a database, for a program that knows `all`. */
export const statusOf = (all: readonly Migration[], version: number): SchemaStatus => ({
  state: stateOf(all, version),
  current: version,
  needed: all.length,
  pending: all.slice(version).map(({ name }) => name),
});

/** Database operations required by migrations. */
export interface MigrationDriver {
  /** Returns the version, or 0 without a schema. */
  version(): Promise<number>;
  /** Runs statements in one transaction. If the version is no longer `from`, does nothing and returns false. */
  apply(from: number, statements: readonly string[]): Promise<boolean>;
}

/** Returns statements that record a version. */
function recordVersion(version: number): readonly string[] {
  if (version > 1) return [`update schema_version set version = ${version}`];
  return ['create table schema_version (version integer not null)', 'insert into schema_version (version) values (1)'];
}

/**
 * Applies the migrations in sequence. Each records its version in its transaction, so an interrupted one leaves
 * nothing and is repeated, and the second of two concurrent programs finds nothing to do.
 *
 * @throws `storage.schema_too_new`, `storage.migration_blocked`
 */
export async function migrateAll(
  driver: MigrationDriver,
  migrations: readonly Migration[],
  logger: Logger,
): Promise<void> {
  for (;;) {
    const from = await driver.version();
    assertKnown(migrations, from);
    const migration = migrations[from];
    if (migration === undefined) return;
    const begun = performance.now();
    const version = from + 1;
    if (!(await driver.apply(from, [...recordVersion(version), ...migration.statements]))) continue;
    const ms = Math.round(performance.now() - begun);
    logger.info({ migration: migration.name, version, ms }, 'migrated');
  }
}

/** Finds the mark of an unfinished transfer. */
export const UNFINISHED = 'select source from transfers limit 1';

/** @throws `storage.transfer_unfinished` if there is such a mark */
export function refuseUnfinished(marks: readonly unknown[]): void {
  if (marks.length > 0) throw new AppError('storage.transfer_unfinished');
}
