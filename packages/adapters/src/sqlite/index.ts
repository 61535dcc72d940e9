export { createSqliteStorage, type SqliteOptions } from './storage.ts';
