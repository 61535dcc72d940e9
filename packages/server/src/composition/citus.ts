import { type CitusCluster, type CitusStatus, createCitusCluster } from '@baobab/adapters/postgres';
import type { DatabaseConfig } from '../config.ts';

export type { CitusCluster, CitusStatus };

/** Returns the Citus cluster of a database, or null if the database cannot be distributed. */
export const openCitus = (database: DatabaseConfig): CitusCluster | null =>
  database.kind === 'postgres' ? createCitusCluster({ url: database.listenUrl ?? database.url }) : null;
