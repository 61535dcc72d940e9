import { AppError, type SchemaStatus } from '@baobab/core';

interface Described {
  readonly name: string;
  /**
   * The oldest version whose programs can work with the schema from this migration on. Absent for those that only
   * expand it, which is the rule: whoever could work with it before still can.
   */
  readonly compatibleFrom?: number;
}

/** Changes that take a moment, together in one transaction. */
export interface StatementsMigration extends Described {
  readonly statements: readonly string[];
}

/** One index, made while others read and write. */
export interface IndexMigration extends Described {
  readonly index: NewIndex;
}

/** Rows that are changed a batch at a time, each in a transaction of its own. */
export interface BackfillMigration extends Described {
  readonly backfill: Backfill;
}

/** One step of the schema, never edited once it has been released; the version is its place in the list, from 1. */
export type Migration = StatementsMigration | IndexMigration | BackfillMigration;

export interface NewIndex {
  readonly name: string;
  /** What stands behind `on`. */
  readonly on: string;
  readonly isUnique?: boolean;
}

export interface Backfill {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: readonly string[];
  /** What stands behind `set`. */
  readonly set: string;
  /** Which rows still need it: what has been cut short is begun again, and passes over those that have it. */
  readonly where: string;
}

/** What the database says of its schema. */
export interface SchemaState {
  /** How many migrations it has had. */
  readonly version: number;
  /** Programs that know at least this version can work with it. */
  readonly compatibleFrom: number;
}

/** Before the first migration. */
export const NO_SCHEMA: SchemaState = { version: 0, compatibleFrom: 1 };

/** Reads a SchemaState where there is one. */
export const READ_STATE = 'select version, compatible_from as "compatibleFrom" from schema_version';

/** @throws `storage.schema_too_new` when the database is ahead of a program that knows `all`, and not compatible with it */
export function assertCompatible(all: readonly Migration[], { version, compatibleFrom }: SchemaState): void {
  if (compatibleFrom <= Math.max(all.length, NO_SCHEMA.compatibleFrom)) return;
  throw new AppError('storage.schema_too_new', {
    detail: `its schema has version ${version}, for programs that know ${compatibleFrom} or later; this program knows up to ${all.length}; start the newer program`,
  });
}

/** A migration that is to be made, and the states before and after it. */
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

/** The next of `all`; null when there is none. @throws `storage.schema_too_new` */
export function nextStep(all: readonly Migration[], state: SchemaState): Step | null {
  assertCompatible(all, state);
  return stepFrom(all, state);
}

function stateOf(all: readonly Migration[], { version, compatibleFrom }: SchemaState): SchemaStatus['state'] {
  if (compatibleFrom > Math.max(all.length, 1)) return 'incompatible';
  if (version > all.length) return 'compatible';
  return version === all.length ? 'current' : 'behind';
}

/** How a database stands to a program that knows `all`. */
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

/** Finds the mark of a transfer that is under way. */
export const UNFINISHED = 'select source from transfers limit 1';

/** @throws `storage.transfer_unfinished` when there is such a mark */
export function refuseUnfinished(marks: readonly unknown[]): void {
  if (marks.length > 0) throw new AppError('storage.transfer_unfinished');
}
