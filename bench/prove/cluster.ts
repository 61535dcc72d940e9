import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { createCitusCluster, createPostgresStorage } from '@baobab/adapters/postgres';
import postgres from 'postgres';
import { startCitus } from '../../tests/support/citus-cluster.ts';
import type { PostgresServer } from '../../tests/support/postgres-server.ts';

/** Few shards, because each is a table with its own indexes. */
const SHARDS = 8;
const START_LIMIT_MS = 60_000;
const LOOK_MS = 50;

/** A server that can be killed, and restarted with the same data. */
export type Killable = Pick<PostgresServer, 'pid' | 'restart'>;

/** A cluster whose documents are distributed over two workers. */
interface Cluster {
  /** `DATABASE_URL`. */
  readonly url: string;
  /** Returns the worker that stores the documents of a collection. */
  workerOf(collection: string): Promise<Killable>;
  stop(): Promise<void>;
}

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function on<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function untilServing(url: string): Promise<void> {
  for (const end = Date.now() + START_LIMIT_MS; ; await pause(LOOK_MS)) {
    try {
      await on(url, (sql) => sql`select 1`);
      return;
    } catch (error) {
      if (Date.now() > end) throw new Error('a worker does not start again', { cause: error });
    }
  }
}

/** Returns a server that was started elsewhere. It is restarted with its own command line. */
async function killable(url: string): Promise<Killable> {
  const folder = await on(url, async (sql) => {
    const [row] = await sql`select current_setting('data_directory') as folder`;
    return String(row?.folder);
  });
  let pid = Number(readFileSync(`${folder}/postmaster.pid`, 'utf8').split('\n')[0]);
  const [command = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  const { uid, gid } = statSync(`/proc/${pid}`);
  return {
    pid: () => pid,
    async restart() {
      const started = spawn(command, args, { uid, gid, cwd: folder, stdio: 'ignore', detached: true });
      started.unref();
      pid = started.pid ?? 0;
      await untilServing(url);
    },
  };
}

async function distribute(url: string): Promise<void> {
  const storage = createPostgresStorage({ url, logger: silent });
  await storage.migrate();
  await storage.close();
  await createCitusCluster({ url }).enable({ shards: SHARDS, report: () => undefined });
}

/** Starts a cluster, or returns the reason why none is available. */
export async function startCluster(): Promise<Cluster | { readonly missing: string }> {
  const started = await startCitus();
  if ('missing' in started) return started;
  const { url, stop } = started;
  const workers = new Map<number, Killable>();
  try {
    await distribute(url);
    const nodes = await on(
      url,
      (sql) => sql<{ host: string; port: number }[]>`
      select nodename as host, nodeport as port from pg_dist_node where groupid > 0`,
    );
    for (const { host, port } of nodes) {
      const there = new URL(url);
      there.host = `${host}:${port}`;
      workers.set(port, await killable(there.href));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    stop,
    async workerOf(collection) {
      const port = await on(url, async (sql) => {
        const [row] = await sql`select nodeport as port from collections c join citus_shards s
          on s.shardid = get_shard_id_for_distribution_column('documents', c.id) where c.name_key = ${collection}`;
        return Number(row?.port);
      });
      const worker = workers.get(port);
      if (worker === undefined) throw new Error(`there is no worker with ${collection}`);
      return worker;
    },
  };
}
