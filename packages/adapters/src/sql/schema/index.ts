import type { Migration } from '../migrations.ts';
import { loginTables, userTables } from './accounts.ts';
import type { Dialect } from './dialect.ts';
import { changeTables, documentTables } from './documents.ts';
import { fileTables } from './files.ts';
import { messageTables } from './messages.ts';
import { relationTables } from './relations.ts';
import { serviceTables } from './service.ts';

/**
 * The migrations of a database. The first one creates the schema in an empty database; never edit it after a release,
 * but append a migration that changes it. Tables refer only to earlier ones: to users and collections by id, to roles by
 * name.
 */
export const migrationsFor = (dialect: Dialect): readonly Migration[] => [
  {
    name: 'schema',
    statements: [
      userTables,
      loginTables,
      relationTables,
      documentTables,
      changeTables,
      fileTables,
      messageTables,
      serviceTables,
    ].flatMap((tables) => tables(dialect)),
  },
];
