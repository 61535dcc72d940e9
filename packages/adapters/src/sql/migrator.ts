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

/** Rows of a batch: whoever wants to change one of them waits for the others. */
const BATCH = 1_000;
/** How long a back-fill rests for each millisecond that a batch took, milliseconds: those who serve go first. */
const REST = 1;

/** What a database does to be migrated. */
export interface MigrationDriver {
  /** Null where there is none yet. */
  state(): Promise<SchemaState | null>;
  /** Makes room for the state, which is NO_SCHEMA then. */
  prepare(): Promise<void>;
  /** Runs statements and sets the state, together; nothing, and false, where the version is no longer `from`. */
  advance(from: number, to: SchemaState, statements: readonly string[]): Promise<boolean>;
  /** Makes an index that is not whole, while others read and write. It may do nothing where the version is no longer `from`. */
  build(from: number, index: NewIndex): Promise<void>;
  read<Row>(sql: string, params: readonly SqlValue[]): Promise<Row[]>;
  /** One statement, as a transaction of its own. */
  change(sql: string, params: readonly SqlValue[]): Promise<void>;
}

const marks = (from: number, count: number) => Array.from({ length: count }, (_, i) => `?${from + i}`).join(', ');

type Key = readonly SqlValue[];

/** The statements that walk a table in the order of its key; `?1 …` is where a batch begins, what follows where it ends. */
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

/** Each batch costs a batch, however large the table is. */
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

/** False where another program has done it meanwhile. */
async function take(driver: MigrationDriver, { migration, from, to }: Step): Promise<boolean> {
  if ('statements' in migration) return driver.advance(from.version, to, migration.statements);
  // Whom it will not suit is to be refused before the first row has changed.
  if (to.compatibleFrom > from.compatibleFrom) {
    await driver.advance(from.version, { ...to, version: from.version }, []);
  }
  if ('index' in migration) await driver.build(from.version, migration.index);
  else await fill(driver, migration.backfill);
  return driver.advance(from.version, to, []);
}

/**
 * Makes one migration after the other. The state is read anew for each, and each is made once or can be made again: what
 * a crash has cut short is gone on with, and who comes second finds nothing to do.
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
