import type { Migration } from '../migrations.ts';
import { loginTables, userTables } from './accounts.ts';
import type { Dialect } from './dialect.ts';
import { changeTables, documentTables } from './documents.ts';
import { fileTables } from './files.ts';
import { messageTables } from './messages.ts';
import { relationTables } from './relations.ts';
import { serviceTables } from './service.ts';

/**
 * Returns the migrations of a database. The first one creates the schema in an empty database. Never edit it after a
 * release, but append a migration that changes it. Tables reference only earlier ones: users and collections by id,
 * roles by name.
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
