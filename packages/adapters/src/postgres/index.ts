export type { Migration } from '../sql/migrations.ts';
export { createPostgresStorage, POSTGRES_MIGRATIONS, type PostgresOptions } from './storage.ts';
