import type { Announcer, Gauges, Logger, Signal, Storage, Stores } from '@baobab/core';
import { isAwaited } from '../signals.ts';
import { createTimeCorrection } from '../sql/correct-times.ts';
import { createExpiry } from '../sql/expired.ts';
import { createIndexStore } from '../sql/indexes/indexes.ts';
import { createSearchIndexStore } from '../sql/indexes/search-indexes.ts';
import { createMaintenance } from '../sql/maintenance.ts';
import { assertKnown, type Migration, READ_VERSION, type VersionRow } from '../sql/migrations.ts';
import { createSlowStatements, createTransactionGuard, type SqlExecutor } from '../sql/statements/executor.ts';
import { createStatisticsStore } from '../sql/statistics.ts';
import { createSqlStores, createTransactionStores } from '../sql/stores.ts';
import { createWriteHealth } from '../sql/write-health.ts';
import { createDistribution } from './citus/distribution.ts';
import type { Client } from './clients.ts';
import { isDiskFault } from './errors.ts';
import { onConnection, poolExecutor, transact, transactionExecutor } from './executor.ts';
import { createIndexBuilder } from './index-builder.ts';
import { DEFAULT_CONNECTIONS, DEFAULT_LIMITS, type PostgresLimits } from './limits.ts';
import { CHANNEL, createListener, type NodeSignal } from './listener.ts';
import { createMigrator } from './migrator.ts';
import { createOneConnection } from './one-connection.ts';
import { openPool } from './pool.ts';
import { openReadReplicas } from './replicas/index.ts';
import { assertRequirements } from './requirements.ts';
import { POSTGRES_MIGRATIONS } from './schema.ts';
import type { Send } from './send.ts';
import { createServers, type UrlVariable } from './servers.ts';
import { assertDelivery, createSessionCheck } from './session.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with the parameters of libpq. */
  readonly url: string;
  /** Variable that names `url`, for messages; `DATABASE_URL` by default. */
  readonly variable?: UrlVariable;
  /**
   * Direct connection to the same database, for everything that belongs to a session. With it, `url` may use a pooler
   * in transaction mode.
   */
  readonly listenUrl?: string | null;
  /** Streaming replicas of that database, used to read lists of documents. */
  readonly readUrls?: readonly string[];
  readonly logger: Logger;
  /** Maximum number of connections of this process, without the one that listens. */
  readonly connections?: number;
  /** Number of processes of this node that open as many. 1 by default. */
  readonly processes?: number;
  /** Maximum number of requests that wait for a connection. Further ones are refused. */
  readonly maxWaiting?: number;
  readonly limits?: Partial<PostgresLimits>;
  /** Duration from which statements are logged, in milliseconds. If 0 or absent, none are. */
  readonly slowMs?: number;
  readonly gauges?: Gauges;
  /**
   * True to throw when a transaction asks for a second connection, which could stop everything if all connections are in
   * transactions that do. For tests.
   */
  readonly onlyOneConnection?: boolean;
  /** Migrations to apply, by default those of this program. */
  readonly migrations?: readonly Migration[];
  /** Maximum wait of a migration for other programs, in milliseconds. Ten minutes by default. */
  readonly migrationTimeout?: number;
}

const DEFAULT_MAX_WAITING = 5_000;
const DETECTION_PAUSE_MS = 1_000;

const NOTIFY = `select pg_notify('${CHANNEL}', ?1)`;
const NOTIFY_ON = 'select pg_notify(?1, ?2)';

/** Storage in PostgreSQL 13 or newer, or a server that speaks its protocol. Connects on first use. */
export function createPostgresStorage({
  url,
  variable,
  listenUrl = null,
  readUrls = [],
  logger,
  connections = DEFAULT_CONNECTIONS,
  processes = 1,
  maxWaiting = DEFAULT_MAX_WAITING,
  limits,
  slowMs = 0,
  gauges,
  onlyOneConnection = false,
  migrations = POSTGRES_MIGRATIONS,
  migrationTimeout,
}: PostgresOptions): Storage {
  const servers = createServers(url, true, variable);
  const hasNoSession = listenUrl !== null;
  const direct = hasNoSession ? createServers(listenUrl, true, 'DATABASE_LISTEN_URL') : servers;
  const session = createSessionCheck(direct);
  const listener = createListener({
    session,
    servers: direct,
    logger,
    echo: hasNoSession ? (channel, payload) => executor.write(NOTIFY_ON, [channel, payload]) : null,
  });
  const ofPools = {
    hasNoSession,
    connections,
    maxWaiting,
    limits: { ...DEFAULT_LIMITS, ...limits },
    watch: createSlowStatements(logger, slowMs),
    ...(onlyOneConnection && { oneConnection: createOneConnection() }),
  };
  const distribution = createDistribution({
    signals: () => listener.feed,
    activated: () => pool.clients.renew(),
    maxWaiting,
    timeout: ofPools.limits.waiting,
  });
  const pool = openPool({
    servers,
    ...ofPools,
    isDistributed: () => distribution.isActive,
    failed: (error) => writes.failed(error),
    outdated: listener.renew,
  });
  servers.onMove(() => {
    pool.clients.renew();
    listener.renew();
  });
  const { gate, waitingGate, searchGate } = pool;
  gauges?.add({ name: 'database_connections_busy', help: 'Connections in use', read: () => gate.running });
  gauges?.add({
    name: 'database_waiting',
    help: 'Statements that wait for a connection',
    read: () => gate.waiting + waitingGate.waiting + searchGate.waiting,
  });
  const executor = distribution.over(poolExecutor(pool, listener.changed));
  const writes = createWriteHealth(executor, isDiskFault);
  const detect = () => onConnection(pool, distribution.detect);
  /** No-op without a listening connection: the next one causes another call. */
  async function detectSoon(): Promise<void> {
    if (distribution.isActive || !listener.feed.live) return;
    try {
      await detect();
    } catch (err) {
      logger.warn({ err }, 'cannot determine whether documents are distributed, retrying');
      setTimeout(detectSoon, DETECTION_PAUSE_MS).unref();
    }
  }
  /** A program that distributes the documents sends an unknown topic. */
  listener.observe((signal) => {
    if (signal === null) void detectSoon();
  });
  const indexes = createIndexBuilder(direct);
  async function verify({ send }: Client): Promise<void> {
    const check = (pooled: Send | null) => assertRequirements({ direct: send, pooled, connections, processes });
    await (hasNoSession ? onConnection(pool, check) : check(null));
    await session.check(send);
    if (hasNoSession) await onConnection(pool, (from) => assertDelivery(from, direct));
  }
  const migrator = createMigrator({
    servers: direct,
    verify,
    logger,
    migrations,
    timeout: migrationTimeout,
    prepared: distribution.detect,
  });

  const notify = (on: SqlExecutor, signal: NodeSignal) => on.write(NOTIFY, [listener.encode(signal)]);

  async function tellWriter(key: string): Promise<void> {
    await notify(executor, { topic: 'writer', key });
    await listener.heard();
  }
  const replicas =
    readUrls.length === 0
      ? null
      : openReadReplicas({ servers, urls: readUrls, ...ofPools, listener, tellWriter, logger, gauges });

  const announcer: Announcer = {
    async announce(signal) {
      await notify(executor, signal);
      listener.deliver({ ...signal });
      if (isAwaited(signal)) await listener.heard();
    },
  };

  /**
   * Runs a transaction. Other processes receive its signals with the commit, listeners of this process right after
   * it. Only transactions with announcements wait for the other processes.
   */
  async function transaction<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
    let announced: Signal[] = [];
    let hasChanged = false;
    const changed = () => {
      hasChanged = true;
    };
    const result = await distribution.transaction((placed) =>
      transact(pool, async (send) => {
        [announced, hasChanged] = [[], false]; // a retry starts over
        const guard = createTransactionGuard(placed(transactionExecutor(send, pool, changed)));
        const stores = createTransactionStores(guard.executor, {
          async announce(signal) {
            await notify(guard.executor, signal);
            announced.push({ ...signal });
          },
        });
        const worked = await work(distribution.withinLists(stores, guard.executor));
        guard.assertUnharmed();
        return worked;
      }),
    );
    if (hasChanged) listener.changed();
    for (const signal of announced) listener.deliver(signal);
    if (announced.some(isAwaited)) await listener.heard();
    return result;
  }

  const stores = createSqlStores(executor, announcer);
  const documents = replicas === null ? stores.documents : replicas.withLists(stores.documents);
  return {
    ...stores,
    collections: distribution.withCollections(stores.collections),
    documents: distribution.withLists(documents, executor),
    ...(replicas && { acknowledge: replicas.acknowledge }),
    indexes: createIndexStore(executor, indexes.builder),
    searchIndexes: distribution.withSearchIndexes(createSearchIndexStore(executor)),
    statistics: createStatisticsStore(executor),
    signals: listener.feed,
    removeExpired: createExpiry(executor),
    correctTimes: createTimeCorrection(executor),
    maintain: createMaintenance(executor),
    transaction,
    migrate: ({ evenUnfinished = false } = {}) => migrator.migrate(evenUnfinished),
    async health() {
      const row = await executor.readOne<VersionRow>(READ_VERSION, []);
      if (row !== null) assertKnown(migrations, row.version);
      await writes.assert();
      // A program that does not migrate starts with this call.
      if (!distribution.isKnown) await detect();
    },
    async close() {
      await replicas?.close();
      await migrator.close();
      await listener.close();
      await indexes.close();
      await pool.clients.close();
    },
  };
}
