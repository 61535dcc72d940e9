export type { Migration } from '../sql/migrations.ts';
export { createSqliteStorage, SQLITE_MIGRATIONS, type SqliteOptions } from './storage.ts';
