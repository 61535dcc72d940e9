import type { SqlExecutor } from '../../sql/statements/executor.ts';
import { poolExecutor } from '../executor.ts';
import { openPool } from '../pool.ts';
import type { ReplicaOptions } from './replica.ts';

const LIMITS = { statement: 4_000, silence: 5_000, waiting: 4_000 };

/** Reads the position of a server on a separate connection, since an answer delayed by load would look like lag. */
export interface Probe extends Pick<SqlExecutor, 'readOne'> {
  close(): Promise<void>;
}

export function openProbe(options: Pick<ReplicaOptions, 'servers' | 'watch' | 'hasNoSession'>): Probe {
  const pool = openPool({ ...options, connections: 1, maxWaiting: 1, limits: LIMITS });
  const { readOne } = poolExecutor(pool, () => undefined);
  return { readOne, close: () => pool.clients.close() };
}
