import type { Migration } from './migrations.ts';
import type { Dialect } from './schema-dialect.ts';

/** The declared indexes of users, files and assets. */
export const listIndexTable = ({ text }: Pick<Dialect, 'text'>): Migration => ({
  name: 'indexes of users, files and assets',
  statements: [
    `create table list_indexes (
      list ${text} not null,
      path ${text} not null,
      name ${text} not null unique,
      state ${text} not null,
      primary key (list, path)
    )`,
  ],
});
