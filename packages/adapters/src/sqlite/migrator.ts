import type { Logger } from '@baobab/core';
import type { SqlExecutor } from '../sql/executor.ts';
import {
  type Migration,
  NO_SCHEMA,
  nextStep,
  READ_STATE,
  refuseUnfinished,
  type SchemaState,
  UNFINISHED,
} from '../sql/migrations.ts';
import { type MigrationDriver, migrateAll } from '../sql/migrator.ts';
import type { Connection } from './database.ts';
import { runOnThread } from './thread.ts';
import type { Writer } from './writer.ts';

const COLUMNS = `select name from pragma_table_info('schema_version')`;
const COMPATIBLE_FROM = `compatible_from integer not null default ${NO_SCHEMA.compatibleFrom}`;
const WRITE_STATE = 'update schema_version set version = ?1, compatible_from = ?2';

/** The existing columns of the state. */
const columnsOf = (rows: ReadonlyArray<{ readonly name: string }>) => rows.map(({ name }) => name);

/** The state of the schema; null when there is no schema table, or it lacks a column. */
async function readState(read: SqlExecutor['read']): Promise<SchemaState | null> {
  const columns = columnsOf(await read<{ name: string }>(COLUMNS, []));
  if (!columns.includes('compatible_from')) return null;
  const [row] = await read<SchemaState>(READ_STATE, []);
  return row === undefined ? null : { version: row.version, compatibleFrom: row.compatibleFrom };
}

export interface SqliteMigratorOptions {
  readonly path: string;
  readonly writing: Connection;
  readonly writer: Writer;
  /** Runs statements outside the writer's jobs. */
  readonly executor: SqlExecutor;
  readonly logger: Logger;
  readonly migrations: readonly Migration[];
}

/**
 * Migrates while other processes serve the file. Each migration locks it; between two migrations the others can write.
 */
export function createMigrator({ path, writing, writer, executor, logger, migrations }: SqliteMigratorOptions) {
  const atomically = <T>(work: () => T): Promise<T> => writer.run(work, { isCompound: true });

  const driver: MigrationDriver = {
    state: () => readState(executor.read),
    prepare: () =>
      atomically(() => {
        const columns = columnsOf(writing.all<{ name: string }>(COLUMNS, []));
        if (columns.length === 0) {
          writing.exec(`create table schema_version (version integer not null, ${COMPATIBLE_FROM})`);
        } else if (!columns.includes('compatible_from')) {
          writing.exec(`alter table schema_version add column ${COMPATIBLE_FROM}`);
        }
        if (writing.get('select 1 as one from schema_version', []) === null) {
          writing.run('insert into schema_version (version) values (?1)', [NO_SCHEMA.version]);
        }
      }),
    advance: (from, to, statements) =>
      atomically(() => {
        if (writing.get<SchemaState>(READ_STATE, [])?.version !== from) return false;
        for (const statement of statements) writing.exec(statement);
        writing.run(WRITE_STATE, [to.version, to.compatibleFrom]);
        return true;
      }),
    async build(from, { name, on, isUnique = false }) {
      const create = `create ${isUnique ? 'unique ' : ''}index if not exists ${name} on ${on}`;
      const [table = ''] = /^\w+/.exec(on) ?? [];
      // Nothing is indexed faster than a thread starts, and the tables of a new database are empty.
      const isDone = await atomically(() => {
        if (writing.get<SchemaState>(READ_STATE, [])?.version !== from) return true;
        if (writing.get(`select 1 as one from ${table} limit 1`, []) !== null) return false;
        writing.exec(create);
        return true;
      });
      if (isDone) return;
      await writer.pause(() => runOnThread(path, create, `select 1 from schema_version where version = ${from}`));
    },
    read: executor.read,
    async change(sql, params) {
      await executor.change(sql, params);
    },
  };

  return {
    async migrate(evenUnfinished: boolean): Promise<void> {
      const state = await driver.state();
      if (state === null || nextStep(migrations, state) !== null) await migrateAll(driver, migrations, logger);
      if (!evenUnfinished) refuseUnfinished(await executor.read(UNFINISHED, []));
    },
  };
}
