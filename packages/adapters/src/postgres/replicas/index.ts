import {
  type AccessScope,
  type DocumentStore,
  type Gauges,
  isAppError,
  ROLES,
  rolePrincipal,
  type Signal,
  type SignalFeed,
} from '@baobab/core';
import { createServers } from '../servers.ts';
import { createPositions } from './positions.ts';
import { openProbe } from './probe.ts';
import { type Lists, openReplica, type Replica, type ReplicaOptions } from './replica.ts';
import { createWriters } from './writers.ts';

/** Replicas that are further behind are not read: the age of what other users wrote is bounded by it. Milliseconds. */
export const MAX_LAG_MS = 10_000;
/** How often the position of the database is read. Milliseconds. */
const SAMPLE_MS = 200;

/** What takes longer until it fails is not repeated: with the time of the database it would exceed that of the request. */
const REPEATED_WITHIN_MS = 3_000;

const ANONYMOUS = rolePrincipal(ROLES.anonymous);

const POSITION = "select cast(pg_current_wal_flush_lsn() - '0/0' as bigint) as position";

/** Whether no connection became free in time: the errors of servers and of connections have a cause. */
const isOverload = (error: unknown) => isAppError(error) && error.cause === undefined;

export interface ReadReplicas {
  /** The store, with its lists, counts and summaries read from replicas that have everything the caller wrote. */
  withLists(store: DocumentStore): DocumentStore;
  /** See `Storage.acknowledge`. */
  acknowledge(userId: string | null): Promise<void> | null;
  close(): Promise<void>;
}

interface Options extends ReplicaOptions {
  /** Those of the replicas; `servers` are those of the database itself. */
  readonly urls: readonly string[];
  readonly signals: SignalFeed;
  /** Sends the signal to all other processes; resolves when they have it, or no longer trust any cache. */
  readonly tell: (signal: Signal) => Promise<void>;
  readonly gauges: Gauges | undefined;
}

/**
 * Reads lists of documents from streaming replicas. A user reads a replica only when it has replayed everything that was
 * acknowledged to this user, by whichever process, so that everybody reads their own writes. See ADR 10.
 */
export function openReadReplicas({ urls, signals, tell, gauges, ...options }: Options): ReadReplicas {
  const positions = createPositions();
  const database = openProbe(options);
  const replicas = urls.map((url) => openReplica({ ...options, servers: createServers(url, false) }, positions));
  const writers = createWriters((key) => tell({ topic: 'writer', key }), MAX_LAG_MS);
  let turn = 0;
  let reads = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function sample(): Promise<void> {
    const at = performance.now();
    try {
      const row = await database.readOne<{ position: number }>(POSITION, []);
      if (row !== null) positions.add({ at, position: row.position });
    } catch {
      // Without new positions every replica is too far behind before long.
    }
    if (!isClosed) timer = setTimeout(() => void sample(), SAMPLE_MS).unref();
  }

  void sample();
  const unsubscribe = signals.subscribe((signal) => {
    if (signal === null) writers.told(null);
    else if (signal.topic === 'writer') writers.told(signal.key);
  });

  const hasReached = ({ reached }: Replica, time: number) => reached !== null && reached >= time;
  const oldest = () => performance.now() - MAX_LAG_MS;
  gauges?.add({
    name: 'database_replicas_ready',
    help: 'Read replicas that can be read',
    read: () => replicas.filter((replica) => hasReached(replica, oldest())).length,
  });
  gauges?.add({ name: 'database_replica_reads', help: 'Lists read from replicas since the start', read: () => reads });

  /** Writes are told by user, so a caller who can write, but is no user, reads the database. */
  function choose({ owner, everything, principals }: AccessScope): Replica | null {
    if (!signals.live || (owner === null && (everything || principals.some((one) => one !== ANONYMOUS)))) return null;
    const needed = Math.max(oldest(), writers.until(owner));
    turn = (turn + 1) % replicas.length;
    for (let i = 0; i < replicas.length; i++) {
      const replica = replicas[(turn + i) % replicas.length] as Replica;
      if (hasReached(replica, needed)) return replica;
    }
    return null;
  }

  /** What fails soon on a replica is read from the database: it may be behind a migration, or have cancelled the statement. */
  async function read<T>(scope: AccessScope, primary: Lists, from: (lists: Lists) => Promise<T>): Promise<T> {
    const replica = choose(scope);
    if (replica === null) return from(primary);
    const begun = performance.now();
    try {
      const result = await from(replica.lists);
      reads++;
      return result;
    } catch (error) {
      if (isAppError(error) && error.code !== 'storage.unavailable') throw error;
      if (!isOverload(error)) replica.failed(error);
      if (performance.now() - begun > REPEATED_WITHIN_MS) throw error;
      return from(primary);
    }
  }

  return {
    withLists: (store) => ({
      ...store,
      list: (list) => (list.isCurrent ? store.list(list) : read(list.scope, store, (lists) => lists.list(list))),
      count: (collection, scope, where) => read(scope, store, (lists) => lists.count(collection, scope, where)),
      summarize: (summary) => read(summary.scope, store, (lists) => lists.summarize(summary)),
    }),
    acknowledge: writers.wrote,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      unsubscribe();
      await Promise.all([database, ...replicas].map((one) => one.close()));
    },
  };
}
