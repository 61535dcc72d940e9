export type { Migration } from '../sql/migrations.ts';
export { SQLITE_MIGRATIONS } from './schema.ts';
export { createSqliteStorage, type SqliteOptions } from './storage.ts';
