export type { Migration } from '../sql/migrations.ts';
export { inspectPostgres, type PostgresFacts } from './inspect.ts';
export { createPostgresStorage, POSTGRES_MIGRATIONS, type PostgresOptions } from './storage.ts';
