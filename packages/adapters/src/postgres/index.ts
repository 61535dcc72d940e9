export type { Migration } from '../sql/migrations.ts';
export {
  type CitusCluster,
  type CitusNode,
  type CitusStatus,
  type CitusTable,
  createCitusCluster,
} from './citus/cluster.ts';
export type { SpreadCollection } from './citus/spread.ts';
export { inspectPostgres, type PostgresFacts } from './inspect.ts';
export type { Unmet } from './requirements.ts';
export { POSTGRES_MIGRATIONS } from './schema.ts';
export { createPostgresStorage, type PostgresOptions } from './storage.ts';
