export { createPostgresStorage, type PostgresOptions } from './storage.ts';
