import { createPostgresStorage } from '@baobab/adapters/postgres';
import { accessScopeOfUser, addCollection, addUser, newDocument } from '@baobab/contracts/storage';
import type { Storage } from '@baobab/core';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../support/logger.ts';
import { createLatch, until } from '../support/patience.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

let primaryUrl: string;
let storage: Storage;
let primary: Sql;
let replica: Sql;
let replicaReads: () => number;
let list: () => Promise<readonly string[]>;
let documents: string[];
const cleanups: Array<() => unknown> = [];

async function startBoth(): Promise<[PostgresServer, PostgresServer]> {
  const main = await startPostgres();
  cleanups.push(main.stop);
  const standby = await startPostgres({ replicaOf: main });
  cleanups.push(standby.stop);
  return [main, standby];
}

beforeAll(async () => {
  const [main, standby] = await startBoth();
  primaryUrl = main.url;
  primary = postgres(main.url, { max: 1, onnotice: () => undefined });
  cleanups.push(() => primary.end());
  replica = postgres(standby.url, { max: 1, onnotice: () => undefined });
  cleanups.push(() => replica.end());
  const gauges = new Map<string, () => unknown>();
  storage = createPostgresStorage({
    url: main.url,
    readUrls: [standby.url],
    logger: silentLogger,
    limits: { statement: 5_000, silence: 6_000 },
    gauges: { add: ({ name, read }) => void gauges.set(name, read) },
  });
  cleanups.push(() => storage.close());
  await storage.migrate();
  storage.signals.subscribe(() => undefined);
  replicaReads = () => Number(gauges.get('database_replica_reads')?.());
  const ann = await addUser(storage, 'Ann');
  const collection = await addCollection(storage, 'notes');
  documents = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const document = newDocument(ann.id, collection);
      await storage.documents.add(document);
      return document.id;
    }),
  );
  const scope = { ...accessScopeOfUser(ann.id), everything: true };
  list = async () => {
    const page = { collection, scope, where: null, order: [], after: null, skip: 0, limit: 20 };
    return (await storage.documents.list(page))?.map(({ id }) => id) ?? [];
  };
});

afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

async function untilReplicaServes(): Promise<void> {
  await until(async () => {
    const before = replicaReads();
    await list();
    return replicaReads() > before;
  });
}

/** Locks a table on the database, and so on the replica as soon as that replays it. Returns what ends the lock. */
async function lock(table: string): Promise<() => Promise<void>> {
  const sql = postgres(primaryUrl, { max: 1, onnotice: () => undefined });
  const [locked, done] = [createLatch(), createLatch()];
  const transaction = sql.begin(async (tx) => {
    await tx`lock table ${tx(table)} in access exclusive mode`;
    locked.open();
    await done.opened;
  });
  await Promise.race([locked.opened, transaction]);
  return async () => {
    done.open();
    await transaction;
    await sql.end();
  };
}

const isLockedOnReplica = async (table: string) =>
  (
    await replica`select 1 from pg_locks l join pg_class c on c.oid = l.relation
      where c.relname = ${table} and l.mode = 'AccessExclusiveLock' and l.granted`
  ).length > 0;

/** True if a statement of the storage waits for a lock. */
async function isWaiting(server: Sql): Promise<boolean> {
  const ours = await server`select wait_event_type from pg_stat_activity where application_name = 'baobab'`;
  return ours.some((session) => session.wait_event_type === 'Lock');
}

/** Writes reach the replica when their transaction commits. */
const send = () => primary`select pg_logical_emit_message(true, 'send', '')`;

describe('a list that fails on a replica', () => {
  it('is not repeated on the database when it took more than three seconds', async () => {
    await untilReplicaServes();
    const unlock = await lock('documents');
    await send();
    await until(() => isLockedOnReplica('documents'));
    await replica`select pg_wal_replay_pause()`;
    await unlock();
    const reads = replicaReads();
    await expect(list()).rejects.toMatchObject({ code: 'storage.unavailable' });
    // The replica is left alone for a while.
    expect((await list()).toSorted()).toEqual(documents.toSorted());
    expect(replicaReads()).toBe(reads);
    await replica`select pg_wal_replay_resume()`;
  });

  it('is read from the database when the replica cancels it in favor of what it replays', async () => {
    await replica`alter system set max_standby_streaming_delay = 0`;
    await replica`select pg_reload_conf()`;
    await untilReplicaServes();
    const unlockUsers = await lock('users');
    await send();
    await until(() => isLockedOnReplica('users'));
    await replica`select pg_wal_replay_pause()`;
    const unlockDocuments = await lock('documents');
    await send();
    const reads = replicaReads();
    const listed = list();
    await until(() => isWaiting(replica));
    await replica`select pg_wal_replay_resume()`;
    await until(() => isWaiting(primary));
    await unlockUsers();
    await unlockDocuments();
    expect((await listed).toSorted()).toEqual(documents.toSorted());
    expect(replicaReads()).toBe(reads);
  });
});
