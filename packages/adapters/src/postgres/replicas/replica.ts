import type { DocumentStore, Logger } from '@baobab/core';
import { createDocumentLists } from '../../sql/lists/document-lists.ts';
import { poolExecutor } from '../executor.ts';
import { openPool, type PoolOptions } from '../pool.ts';
import type { Positions } from './positions.ts';
import { openProbe } from './probe.ts';

/** Interval between position checks of a replica, in milliseconds. */
const ASK_MS = 200;
/**
 * Maximum wait of a list for a connection to the replica, in milliseconds. After that, it is read from the database.
 */
const WAITING_MS = 2_000;
/** Time for which a failed replica is not used, in milliseconds. */
const REST_MS = 5_000;

const REPLAYED = `select case when pg_is_in_recovery()
  then cast(pg_last_wal_replay_lsn() - '0/0' as bigint) end as position`;

export type Lists = Pick<DocumentStore, 'list' | 'count' | 'summarize'>;

export interface ReplicaOptions
  extends Pick<
    PoolOptions,
    'servers' | 'connections' | 'maxWaiting' | 'limits' | 'watch' | 'oneConnection' | 'hasNoSession'
  > {
  readonly logger: Logger;
}

/** A streaming replica, or another server that replays the log of the database. */
export interface Replica {
  readonly lists: Lists;
  /** Time of the last known commits that it has, by `performance.now()`. Null while it cannot be read. */
  readonly reached: number | null;
  /** Reports that a statement failed on it. */
  failed(err: unknown): void;
  close(): Promise<void>;
}

export function openReplica(options: ReplicaOptions, positions: Positions): Replica {
  const { logger, servers } = options;
  // A statement cancelled in favor of the replay would be cancelled again.
  const pool = openPool({ ...options, limits: { ...options.limits, waiting: WAITING_MS }, attempts: 1 });
  const probe = openProbe(options);
  const executor = poolExecutor(pool, () => undefined);
  let reached: number | null = null;
  let restsUntil = 0;
  let isClosed = false;
  let problem: string | null = null;

  function report(found: string | null, err?: unknown): void {
    if (found === problem) return;
    problem = found;
    if (found === null) logger.info({ replica: servers.place }, 'read replica answers again');
    else logger.warn({ replica: servers.place, err }, `read replica ${found}, reading from the database`);
  }

  async function ask(): Promise<void> {
    try {
      const row = await probe.readOne<{ position: number | null }>(REPLAYED, []);
      if (row?.position == null) {
        reached = null;
        report('is no replica');
      } else {
        reached = positions.reached(row.position);
        report(null);
      }
    } catch (err) {
      reached = null;
      report('does not answer', err);
    }
    if (!isClosed) timer = setTimeout(() => void ask(), ASK_MS).unref();
  }

  let timer = setTimeout(() => void ask(), 0).unref();
  return {
    lists: createDocumentLists(executor, { mayWrite: false }),
    get reached() {
      return performance.now() < restsUntil ? null : reached;
    },
    failed(err) {
      restsUntil = performance.now() + REST_MS;
      logger.warn({ replica: servers.place, err }, 'a list failed on a read replica and is read from the database');
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await Promise.all([pool.clients.close(), probe.close()]);
    },
  };
}
