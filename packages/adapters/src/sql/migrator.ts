import type { Logger } from '@baobab/core';
import type { SqlValue } from './executor.ts';
import {
  type Backfill,
  type Migration,
  type NewIndex,
  NO_SCHEMA,
  nextStep,
  type SchemaState,
  type Step,
} from './migrations.ts';

/** Rows of a batch. A writer of one of them waits for the whole batch. */
const BATCH = 1_000;
/** The throttle of a back-fill: the pause per millisecond of a batch, in milliseconds, so that requests go first. */
const REST = 1;

/** The operations of a database that a migration needs. */
export interface MigrationDriver {
  /** Null when there is none yet. */
  state(): Promise<SchemaState | null>;
  /** Creates the table of the state, with NO_SCHEMA in it. */
  prepare(): Promise<void>;
  /**
   * Runs statements and sets the state, atomically. Returns false, and does nothing, if the version is no longer
   * `from`.
   */
  advance(from: number, to: SchemaState, statements: readonly string[]): Promise<boolean>;
  /**
   * Builds an index that is missing or invalid, while others read and write. It may do nothing if the version is no
   * longer `from`.
   */
  build(from: number, index: NewIndex): Promise<void>;
  read<Row>(sql: string, params: readonly SqlValue[]): Promise<Row[]>;
  /** Runs one statement in a transaction of its own. */
  change(sql: string, params: readonly SqlValue[]): Promise<void>;
}

const marks = (from: number, count: number) => Array.from({ length: count }, (_, i) => `?${from + i}`).join(', ');

type Key = readonly SqlValue[];

/**
 * Statements that walk a table in key order; the first parameters are the key before a batch, the following ones its
 * last key.
 */
function walkOf({ table, key, set, where }: Backfill) {
  const columns = key.join(', ');
  const isBehind = (after: Key | null) => (after === null ? '' : ` and (${columns}) > (${marks(1, key.length)})`);
  const isUpTo = (end: Key | null) =>
    end === null ? '' : ` and (${columns}) <= (${marks(key.length + 1, key.length)})`;
  const none: Key = key.map(() => null);
  return {
    params: (after: Key | null, end: Key | null): Key => [...(after ?? none), ...(end ?? none)],
    lastOf: (after: Key | null) =>
      `select ${columns} from ${table} where true${isBehind(after)} order by ${columns} limit 1 offset ${BATCH - 1}`,
    update: (after: Key | null, end: Key | null) =>
      `update ${table} set ${set} where (${where})${isBehind(after)}${isUpTo(end)}`,
  };
}

/** The cost of a batch does not depend on the size of the table. */
async function fill(driver: MigrationDriver, backfill: Backfill): Promise<void> {
  const { params, lastOf, update } = walkOf(backfill);
  let after: Key | null = null;
  do {
    const begun = performance.now();
    const rows: Array<Record<string, SqlValue>> = await driver.read(lastOf(after), params(after, null));
    const end: Key | null = rows[0] === undefined ? null : backfill.key.map((column) => rows[0]?.[column] ?? null);
    await driver.change(update(after, end), params(after, end));
    after = end;
    if (after !== null) await new Promise((resolve) => setTimeout(resolve, REST * (performance.now() - begun)));
  } while (after !== null);
}

/** Applies a step. False if another program has done so meanwhile. */
async function take(driver: MigrationDriver, { migration, from, to }: Step): Promise<boolean> {
  if ('statements' in migration) return driver.advance(from.version, to, migration.statements);
  // Incompatible programs must be refused before the first row changes.
  if (to.compatibleFrom > from.compatibleFrom) {
    await driver.advance(from.version, { ...to, version: from.version }, []);
  }
  if ('index' in migration) await driver.build(from.version, migration.index);
  else await fill(driver, migration.backfill);
  return driver.advance(from.version, to, []);
}

/**
 * Applies the migrations one after the other. Each step re-reads the state, and is applied once or can be repeated: an
 * interrupted migration is resumed, and of two concurrent programs the second finds nothing to do.
 *
 * @throws `storage.schema_too_new`, `storage.migration_blocked`
 */
export async function migrateAll(
  driver: MigrationDriver,
  migrations: readonly Migration[],
  logger: Logger,
): Promise<void> {
  if ((await driver.state()) === null) await driver.prepare();
  for (;;) {
    const step = nextStep(migrations, (await driver.state()) ?? NO_SCHEMA);
    if (step === null) return;
    const begun = performance.now();
    if (!(await take(driver, step))) continue;
    const ms = Math.round(performance.now() - begun);
    logger.info({ migration: step.migration.name, version: step.to.version, ms }, 'migrated');
  }
}
