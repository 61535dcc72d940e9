import { AppError, type Gauges, type Logger, type Signal, type SignalRelay, type Storage } from '@baobab/core';
import { CHANGES, CHANGES_INTERVAL, createLocalSignals, isAwaited } from '../signals.ts';
import { createTimeCorrection } from '../sql/correct-times.ts';
import { createExpiry } from '../sql/expired.ts';
import { createIndexStore } from '../sql/indexes/indexes.ts';
import { createSearchIndexStore } from '../sql/indexes/search-indexes.ts';
import { createMaintenance } from '../sql/maintenance.ts';
import { assertKnown, type Migration, READ_VERSION, type VersionRow } from '../sql/migrations.ts';
import {
  createSlowStatements,
  createTransactionGuard,
  type ReadBound,
  type SqlExecutor,
  type SqlValue,
} from '../sql/statements/executor.ts';
import { type Sql, textOf } from '../sql/statements/statement.ts';
import { createStatisticsStore } from '../sql/statistics.ts';
import { createSqlStores, createTransactionStores } from '../sql/stores.ts';
import { createWriteHealth } from '../sql/write-health.ts';
import { createThrottle } from '../throttle.ts';
import { createCheckpoints } from './checkpoints.ts';
import { isDiskFault, isForeignKeyViolation, isUniqueViolation, openConnection } from './database.ts';
import { createIndexBuilder } from './index-builder.ts';
import { createMigrator } from './migrator.ts';
import { createReader } from './reader.ts';
import { SQLITE_MIGRATIONS } from './schema.ts';
import { createSearchThreads } from './search-threads.ts';
import { createSearchTurns, SearchStopped, SHORT_SEARCH, UNLIMITED, WATCHED_CRITERIA } from './search-work.ts';
import { createSnapshots } from './snapshots.ts';
import { createFeed, createWriter } from './writer.ts';

export interface SqliteOptions {
  /** Path of the database file. Its folder is created if it is missing. */
  readonly path: string;
  readonly logger: Logger;
  /** Duration from which statements are logged, in milliseconds. If 0 or absent, none are. */
  readonly slowMs?: number;
  readonly gauges?: Gauges;
  /** Relays signals to the other processes that serve this file. Absent if there are none. */
  readonly relay?: SignalRelay;
  /** Migrations to apply, by default those of this program. */
  readonly migrations?: readonly Migration[];
  /** Interval between checks of the WAL's length, in milliseconds. One second by default. */
  readonly lookMs?: number;
  /** Time limit of a search, in milliseconds. Ten seconds by default. */
  readonly searchMs?: number;
  /** Maximum size of the page cache of each connection, in bytes. 64 MiB by default. */
  readonly cacheBytes?: number;
}

const SEARCH_LIMIT_MS = 10_000;

/**
 * SQLite in this process. Reads run immediately on a separate connection. Writes go through one writer, which commits
 * them in groups.
 *
 * @throws `storage.unavailable` if the file cannot be opened
 */
export function createSqliteStorage({
  path,
  logger,
  slowMs = 0,
  gauges,
  relay,
  migrations = SQLITE_MIGRATIONS,
  lookMs,
  searchMs = SEARCH_LIMIT_MS,
  cacheBytes,
}: SqliteOptions): Storage {
  const isAlone = relay === undefined;
  const watch = createSlowStatements(logger, slowMs);
  const cache = cacheBytes === undefined ? {} : { cacheBytes };
  const writing = openConnection(path, { readOnly: false, watch, ...cache });
  const checkpoints = createCheckpoints(path, { writing, logger, lookMs });
  const longSearches = createSearchThreads(path, searchMs, cacheBytes);
  const reading = createReader(openConnection(path, { readOnly: true, watch, ...cache }), { isAlone });
  const inTurn = createSearchTurns();
  const signals = createLocalSignals(relay);
  relay?.receive(signals.deliver);

  function announced(signal: Signal): void {
    signals.deliver(signal);
    relay?.send(signal);
  }

  const feed = createFeed(writing);
  const relayChanges = createThrottle(() => relay?.send(CHANGES), CHANGES_INTERVAL);

  function committed(): void {
    reading.renew();
    if (!feed.end()) return;
    signals.deliver(CHANGES);
    if (!isAlone) relayChanges.call();
  }

  const writer = createWriter(
    writing,
    {
      committing: feed.store,
      abandoned: feed.end,
      failed: (error) => writes.failed(error),
      committed,
      deliver: announced,
      ...(relay && { heard: () => relay.heard() }),
    },
    { isAlone },
  );
  gauges?.add({ name: 'database_waiting', help: 'Changes that wait for the writer', read: () => writer.waiting });
  let closed = false;

  /** Runs statements of the writer's current job. */
  const inside: SqlExecutor = {
    read: async (sql, params, bound) => writing.all(textOf(sql), params, bound),
    readOne: async (sql, params) => writing.get(textOf(sql), params),
    async search(sql, params, bound) {
      try {
        return writing.search(textOf(sql), params, { ...UNLIMITED, ms: searchMs }, bound);
      } catch (error) {
        throw error instanceof SearchStopped ? new AppError('search.too_long') : error;
      }
    },
    write: async (sql, params) => writing.all(textOf(sql), params),
    change: async (sql, params) => writing.run(textOf(sql), params),
    atomic: (work) => work(inside),
    snapshot: (work) => work(inside),
    isLocal: true,
    joinsDocuments: () => true,
    criteria: WATCHED_CRITERIA,
    isForeignKeyViolation,
    isUniqueViolation,
  };

  const outside: SqlExecutor = {
    read: async (sql, params, bound) => reading.enter().all(textOf(sql), params, bound),
    readOne: async (sql, params) => reading.enter().get(textOf(sql), params),
    async search<Row>(sql: Sql, params: readonly SqlValue[], bound?: ReadBound) {
      const text = textOf(sql);
      try {
        return await inTurn(() => reading.enter().search<Row>(text, params, SHORT_SEARCH, bound));
      } catch (error) {
        if (!(error instanceof SearchStopped)) throw error;
      }
      const begun = performance.now();
      try {
        return await longSearches.search<Row>(text, params, bound);
      } finally {
        watch(text, performance.now() - begun);
      }
    },
    write: (sql, params) => writer.run(() => writing.all(textOf(sql), params), { isCompound: false }),
    change: (sql, params) => writer.run(() => writing.run(textOf(sql), params), { isCompound: false }),
    atomic: (work) => writer.run(() => work(inside), { isCompound: true }),
    snapshot: (work) => snapshots.snapshot(work),
    isLocal: true,
    joinsDocuments: () => true,
    criteria: WATCHED_CRITERIA,
    isForeignKeyViolation,
    isUniqueViolation,
  };

  const writes = createWriteHealth(outside, isDiskFault);
  const snapshots = createSnapshots(path, { watch, executor: outside, ...cache });

  const stores = createSqlStores(outside, {
    async announce(signal) {
      if (closed) throw new AppError('storage.unavailable', { detail: 'the database is closed' });
      announced({ ...signal });
      if (isAwaited(signal)) await relay?.heard();
    },
  });

  const migrator = createMigrator({ writing, writer, executor: outside, logger, migrations });

  return {
    ...stores,
    indexes: createIndexStore(outside, createIndexBuilder(path, { writing, writer })),
    searchIndexes: createSearchIndexStore(outside),
    statistics: createStatisticsStore(outside),
    signals: signals.feed,
    removeExpired: createExpiry(outside),
    correctTimes: createTimeCorrection(outside),
    maintain: createMaintenance(outside),
    transaction: (work) =>
      writer.run(
        async (signals) => {
          const { executor, assertUnharmed } = createTransactionGuard(inside);
          const announce = async (signal: Signal) => void signals.push({ ...signal });
          const result = await work(createTransactionStores(executor, { announce }));
          assertUnharmed();
          return result;
        },
        { isCompound: true },
      ),
    migrate: ({ evenUnfinished = false } = {}) => migrator.migrate(evenUnfinished),
    async health() {
      const row = reading.enter().get<VersionRow>(READ_VERSION, []);
      if (row !== null) assertKnown(migrations, row.version);
      await writes.assert();
    },
    async close() {
      writer.close();
      await writer.drain();
      closed = true;
      relayChanges.stop();
      await snapshots.close();
      longSearches.close();
      await checkpoints.close();
      reading.close();
      writing.close();
    },
  };
}
