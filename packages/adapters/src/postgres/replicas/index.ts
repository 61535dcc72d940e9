import {
  type AccessScope,
  type DocumentStore,
  type Gauges,
  isAppError,
  ROLES,
  rolePrincipal,
  type SignalFeed,
} from '@baobab/core';
import { createServers } from '../servers.ts';
import { createPositions } from './positions.ts';
import { openProbe } from './probe.ts';
import { type Lists, openReplica, type Replica, type ReplicaOptions } from './replica.ts';
import { createWriters } from './writers.ts';

/** Maximum lag of a replica that is read, in milliseconds. It bounds the age of other users' writes. */
export const MAX_LAG_MS = 10_000;
/** Interval between reads of the database's position, in milliseconds. */
const SAMPLE_MS = 200;

/**
 * Maximum duration of a failed read that is repeated, in milliseconds. A longer one plus the read from the database
 * would exceed the time limit of a request.
 */
const REPEATED_WITHIN_MS = 3_000;

const ANONYMOUS = rolePrincipal(ROLES.anonymous);

const POSITION = "select cast(pg_current_wal_flush_lsn() - '0/0' as bigint) as position";

/** True if no connection became free in time. Errors of servers and connections have a cause. */
const isOverload = (error: unknown) => isAppError(error) && error.cause === undefined;

export interface ReadReplicas {
  /** Wraps a store so that its lists, counts and summaries use replicas that have all writes of the caller. */
  withLists(store: DocumentStore): DocumentStore;
  /** See `Storage.acknowledge`. */
  acknowledge(userId: string | null): Promise<void> | null;
  close(): Promise<void>;
}

interface Options extends ReplicaOptions {
  /** URLs of the replicas. `servers` are those of the database itself. */
  readonly urls: readonly string[];
  readonly listener: { readonly feed: SignalFeed; onWriter(hear: (key: string) => void): void };
  /**
   * Announces a user who has written to all other processes. Resolves when they have received it, or no longer trust
   * their caches.
   */
  readonly tellWriter: (key: string) => Promise<void>;
  readonly gauges: Gauges | undefined;
}

/**
 * Reads lists of documents from streaming replicas. A user reads a replica only after it has replayed every write
 * that any process acknowledged to this user, so that users always read their own writes. See ADR 10.
 */
export function openReadReplicas({ urls, listener, tellWriter, gauges, ...options }: Options): ReadReplicas {
  const signals = listener.feed;
  const positions = createPositions();
  const database = openProbe(options);
  const replicas = urls.map((url) =>
    openReplica({ ...options, servers: createServers(url, false, 'DATABASE_READ_URL') }, positions),
  );
  const writers = createWriters(tellWriter, MAX_LAG_MS);
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
      // Without new positions, every replica soon counts as too far behind.
    }
    if (!isClosed) timer = setTimeout(() => void sample(), SAMPLE_MS).unref();
  }

  void sample();
  listener.onWriter(writers.told);
  const unsubscribe = signals.subscribe((signal) => {
    if (signal === null) writers.told(null);
  });

  const hasReached = ({ reached }: Replica, time: number) => reached !== null && reached >= time;
  const oldest = () => performance.now() - MAX_LAG_MS;
  gauges?.add({
    name: 'database_replicas_ready',
    help: 'Read replicas that can be read',
    read: () => replicas.filter((replica) => hasReached(replica, oldest())).length,
  });
  gauges?.add({ name: 'database_replica_reads', help: 'Lists read from replicas since the start', read: () => reads });

  /**
   * Chooses a replica. Writes are announced by user, so callers that can write without being a user read the
   * database.
   */
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

  /**
   * Repeats a read that fails soon on a replica in the database: the replica may be behind a migration, or have
   * cancelled the statement.
   */
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
