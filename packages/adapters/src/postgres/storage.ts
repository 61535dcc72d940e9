import type { Announcer, Gauges, Logger, Signal, Storage, Stores } from '@baobab/core';
import { isAwaited } from '../signals.ts';
import type { SqlExecutor } from '../sql/executor.ts';
import { createIndexStore } from '../sql/indexes.ts';
import { assertCompatible, type Migration, READ_STATE, type SchemaState } from '../sql/migrations.ts';
import { schemaMigrations } from '../sql/schema.ts';
import { createSlowStatements } from '../sql/slow-statements.ts';
import { createStatisticsStore } from '../sql/statistics.ts';
import { createSqlStores, createTransactionStores } from '../sql/stores.ts';
import { createTransactionGuard } from '../sql/transaction-guard.ts';
import { poolExecutor, transact, transactionExecutor } from './executor.ts';
import { createIndexBuilder } from './index-builder.ts';
import { DEFAULT_LIMITS, type PostgresLimits } from './limits.ts';
import { CHANNEL, createListener } from './listener.ts';
import { createMigrator } from './migrator.ts';
import { openPool } from './pool.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  readonly logger: Logger;
  /** Connections of this process, besides the one that listens. */
  readonly connections?: number;
  /** Requests that may wait for a connection before further ones are refused. */
  readonly maxWaiting?: number;
  readonly limits?: Partial<PostgresLimits>;
  /** Statements that take this long are logged, in milliseconds; 0 or absent: none. */
  readonly slowMs?: number;
  readonly gauges?: Gauges;
  /** The migrations to apply; those of this program when absent. */
  readonly migrations?: readonly Migration[];
  /** How long a migration waits for others before it fails, in milliseconds; ten minutes when absent. */
  readonly migrationTimeout?: number;
}

const DEFAULT_CONNECTIONS = 10;
const DEFAULT_MAX_WAITING = 5_000;

// The "C" collation compares by code point whatever the database's locale is.
export const POSTGRES_MIGRATIONS: readonly Migration[] = schemaMigrations({
  uuid: 'uuid',
  text: 'text collate "C"',
  integer: 'bigint',
  // A hash index has no order, so no list of one collection can be planned over the ids of all of them.
  byDocumentId: 'create index documents_by_id on documents using hash (id)',
  byPosition: 'collection, position, id',
  randomText: "replace(cast(gen_random_uuid() as text), '-', '')",
});

const NOTIFY = `select pg_notify('${CHANNEL}', ?1)`;

/** PostgreSQL 13 or newer, or a server that speaks its protocol. Connects on first use. */
export function createPostgresStorage({
  url,
  logger,
  connections = DEFAULT_CONNECTIONS,
  maxWaiting = DEFAULT_MAX_WAITING,
  limits,
  slowMs = 0,
  gauges,
  migrations = POSTGRES_MIGRATIONS,
  migrationTimeout,
}: PostgresOptions): Storage {
  const pool = openPool({
    url,
    connections,
    maxWaiting,
    limits: { ...DEFAULT_LIMITS, ...limits },
    watch: createSlowStatements(logger, slowMs),
  });
  const { gate } = pool;
  gauges?.add({ name: 'database_connections_busy', help: 'Connections in use', read: () => gate.running });
  gauges?.add({ name: 'database_waiting', help: 'Statements that wait for a connection', read: () => gate.waiting });
  const listener = createListener({ url, logger });
  const executor = poolExecutor(pool, listener.changed);
  const indexes = createIndexBuilder(url);
  const migrator = createMigrator({ url, logger, migrations, timeout: migrationTimeout });

  const notify = (on: SqlExecutor, signal: Signal) => on.write(NOTIFY, [listener.encode(signal)]);

  const announcer: Announcer = {
    async announce(signal) {
      await notify(executor, signal);
      listener.deliver({ ...signal });
      if (isAwaited(signal)) await listener.heard();
    },
  };

  /**
   * Other processes receive signals with the commit, the listeners of this process right after it. Only transactions
   * that announced something wait for the others.
   */
  async function transaction<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
    let announced: Signal[] = [];
    let hasChanged = false;
    const changed = () => {
      hasChanged = true;
    };
    const result = await transact(pool, async (send) => {
      [announced, hasChanged] = [[], false]; // a retry starts over
      const guard = createTransactionGuard(transactionExecutor(send, pool, changed));
      const stores = createTransactionStores(guard.executor, {
        async announce(signal) {
          await notify(guard.executor, signal);
          announced.push({ ...signal });
        },
      });
      const worked = await work(stores);
      guard.assertUnharmed();
      return worked;
    });
    if (hasChanged) listener.changed();
    for (const signal of announced) listener.deliver(signal);
    if (announced.some(isAwaited)) await listener.heard();
    return result;
  }

  return {
    ...createSqlStores(executor, announcer),
    indexes: createIndexStore(executor, indexes.builder),
    statistics: createStatisticsStore(executor),
    signals: listener.feed,
    transaction,
    migrate: ({ evenUnfinished = false } = {}) => migrator.migrate(evenUnfinished),
    async health() {
      const state = await executor.readOne<SchemaState>(READ_STATE, []);
      if (state !== null) assertCompatible(migrations, state);
    },
    async close() {
      await migrator.close();
      await listener.close();
      await indexes.close();
      await pool.clients.close();
    },
  };
}
