import { AppError, type SchemaStatus } from '@baobab/core';

interface Described {
  readonly name: string;
  /**
   * The oldest program version that works with the schema from this migration on. Absent for migrations that only
   * expand the schema, which is the rule: all programs that worked with it before still do.
   */
  readonly compatibleFrom?: number;
}

/** Quick changes, together in one transaction. */
interface StatementsMigration extends Described {
  readonly statements: readonly string[];
}

/** One index, built while others read and write. */
interface IndexMigration extends Described {
  readonly index: NewIndex;
}

/** Rows that are changed in batches, each in a transaction of its own. */
interface BackfillMigration extends Described {
  readonly backfill: Backfill;
}

/** One step of the schema, never edited after its release; its version is its place in the list, from 1. */
export type Migration = StatementsMigration | IndexMigration | BackfillMigration;

export interface NewIndex {
  readonly name: string;
  /** The part after `on`. */
  readonly on: string;
  readonly isUnique?: boolean;
}

export interface Backfill {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: readonly string[];
  /** The part after `set`. */
  readonly set: string;
  /** Which rows still need the change: an interrupted back-fill starts over, and skips rows that have it. */
  readonly where: string;
}

/** The state of a database's schema. */
export interface SchemaState {
  /** How many migrations have been applied. */
  readonly version: number;
  /** Programs that know at least this version work with it. */
  readonly compatibleFrom: number;
}

/** Before the first migration. */
export const NO_SCHEMA: SchemaState = { version: 0, compatibleFrom: 1 };

/** Reads a SchemaState where there is one. */
export const READ_STATE = 'select version, compatible_from as "compatibleFrom" from schema_version';

/**
 * @throws `storage.schema_too_new` when the database is ahead of a program that knows `all`, and not compatible with it
 */
export function assertCompatible(all: readonly Migration[], { version, compatibleFrom }: SchemaState): void {
  if (compatibleFrom <= Math.max(all.length, NO_SCHEMA.compatibleFrom)) return;
  throw new AppError('storage.schema_too_new', {
    detail: `its schema has version ${version}, and needs a program that knows version ${compatibleFrom}; this one knows up to ${all.length}: start a newer program`,
  });
}

/** A migration to apply, and the states before and after it. */
export interface Step {
  readonly migration: Migration;
  readonly from: SchemaState;
  readonly to: SchemaState;
}

function stepFrom(all: readonly Migration[], from: SchemaState): Step | null {
  const migration = all[from.version];
  if (migration === undefined) return null;
  const compatibleFrom = Math.max(from.compatibleFrom, migration.compatibleFrom ?? 0);
  return { migration, from, to: { version: from.version + 1, compatibleFrom } };
}

/** The next of `all`; null when all are applied. @throws `storage.schema_too_new` */
export function nextStep(all: readonly Migration[], state: SchemaState): Step | null {
  assertCompatible(all, state);
  return stepFrom(all, state);
}

function stateOf(all: readonly Migration[], { version, compatibleFrom }: SchemaState): SchemaStatus['state'] {
  if (compatibleFrom > Math.max(all.length, 1)) return 'incompatible';
  if (version > all.length) return 'compatible';
  return version === all.length ? 'current' : 'behind';
}

/** The schema status of a database, as seen by a program that knows `all`. */
export function statusOf(all: readonly Migration[], state: SchemaState): SchemaStatus {
  const pending: string[] = [];
  let last = state;
  for (let step = stepFrom(all, state); step !== null; step = stepFrom(all, step.to)) {
    pending.push(step.migration.name);
    last = step.to;
  }
  return {
    state: stateOf(all, state),
    current: state.version,
    needed: all.length,
    compatibleFrom: state.compatibleFrom,
    pending,
    compatibleAfter: last.compatibleFrom,
  };
}

/** Finds the mark of an unfinished transfer. */
export const UNFINISHED = 'select source from transfers limit 1';

/** @throws `storage.transfer_unfinished` when there is such a mark */
export function refuseUnfinished(marks: readonly unknown[]): void {
  if (marks.length > 0) throw new AppError('storage.transfer_unfinished');
}
