import type { Logger } from '@baobab/core';
import {
  type Migration,
  type MigrationDriver,
  migrateAll,
  READ_VERSION,
  refuseUnfinished,
  UNFINISHED,
  type VersionRow,
} from '../sql/migrations.ts';
import type { SqlExecutor } from '../sql/statements/executor.ts';
import type { Connection } from './database.ts';
import type { Writer } from './writer.ts';

const HAS_SCHEMA = `select 1 as one from sqlite_schema where type = 'table' and name = 'schema_version'`;

export interface SqliteMigratorOptions {
  readonly writing: Connection;
  readonly writer: Writer;
  /** Runs statements outside the writer's jobs. */
  readonly executor: SqlExecutor;
  readonly logger: Logger;
  readonly migrations: readonly Migration[];
}

/**
 * Migrates while other processes serve the file. Each migration locks it. Between two migrations, the others can
 * write.
 */
export function createMigrator({ writing, writer, executor, logger, migrations }: SqliteMigratorOptions) {
  const driver: MigrationDriver = {
    async version() {
      if ((await executor.readOne(HAS_SCHEMA, [])) === null) return 0;
      return (await executor.readOne<VersionRow>(READ_VERSION, []))?.version ?? 0;
    },
    apply: (from, statements) =>
      writer.run(
        () => {
          const hasSchema = writing.get(HAS_SCHEMA, []) !== null;
          if ((hasSchema ? writing.get<VersionRow>(READ_VERSION, [])?.version : 0) !== from) return false;
          for (const statement of statements) writing.exec(statement);
          return true;
        },
        { isCompound: true },
      ),
  };

  return {
    async migrate(evenUnfinished: boolean): Promise<void> {
      await migrateAll(driver, migrations, logger);
      if (!evenUnfinished) refuseUnfinished(await executor.read(UNFINISHED, []));
    },
  };
}
