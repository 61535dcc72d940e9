import { randomBytes } from 'node:crypto';
import { createCitusCluster, createPostgresStorage } from '@baobab/adapters/postgres';
import postgres from 'postgres';
import { silentLogger } from './logger.ts';

/** Coordinator of the cluster in `npm run test:citus`. Set by `scripts/run.mjs`. */
export const CITUS_URL = process.env.TEST_CITUS_URL;

/** `TEST_CITUS_SPREAD=1`: every collection is distributed over several shards. */
export const SPREADS = process.env.TEST_CITUS_SPREAD === '1';

const TEMPLATE = 'baobab_citus';
/** Few shards, because each is a table with indexes that every test copies. */
const SHARDS = 4;
/** Error code of a database that has connections. */
const IN_USE = '55006';

function withDatabase(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

async function on<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Returns the URLs of the maintenance databases of all nodes, the coordinator first. */
async function nodesOf(coordinator: string): Promise<string[]> {
  const nodes = await on(
    coordinator,
    (sql) =>
      sql<{ host: string; port: number }[]>`
      select nodename as host, nodeport as port from pg_dist_node order by groupid`,
  );
  return nodes.map(({ host, port }) => {
    const url = new URL(withDatabase(coordinator, 'postgres'));
    url.host = `${host}:${port}`;
    return url.href;
  });
}

/** Runs a statement on all nodes, one after the other. */
async function everywhere(nodes: readonly string[], statement: string): Promise<void> {
  for (const node of nodes) await on(node, (sql) => sql.unsafe(statement));
}

/** Creates a database with the extension on every node. */
export async function createOnNodes(coordinator: string, name: string): Promise<string> {
  const nodes = await nodesOf(coordinator);
  await everywhere(nodes, `create database ${name}`);
  for (const node of nodes) await on(withDatabase(node, name), (sql) => sql`create extension citus`);
  const url = withDatabase(coordinator, name);
  await on(url, async (sql) => {
    for (const [at, node] of nodes.entries()) {
      const { hostname, port } = new URL(node);
      await (at === 0
        ? sql`select citus_set_coordinator_host(${hostname}, ${Number(port)})`
        : sql`select citus_add_node(${hostname}, ${Number(port)})`);
    }
  });
  return url;
}

export async function migrateAt(url: string): Promise<void> {
  const storage = createPostgresStorage({ url, logger: silentLogger });
  await storage.migrate();
  await storage.close();
}

/** Creates a distributed database on every node, which tests copy. */
export async function createCitusTemplate(coordinator: string): Promise<void> {
  const nodes = await nodesOf(coordinator);
  await everywhere(nodes, `drop database if exists ${TEMPLATE} with (force)`);
  const url = await createOnNodes(coordinator, TEMPLATE);
  await migrateAt(url);
  await createCitusCluster({ url }).enable({ shards: SHARDS, report: () => undefined });
  // A database with connections cannot be copied, and each node has some to the others.
  for (const node of nodes) {
    await on(node, async (sql) => {
      await sql.unsafe(`alter database ${TEMPLATE} with allow_connections false`);
      await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${TEMPLATE}`;
    });
  }
}

const connections = new Map<string, postgres.Sql>();

function connectionTo(node: string): postgres.Sql {
  let sql = connections.get(node);
  if (sql === undefined) {
    sql = postgres(node, { max: 2, idle_timeout: 1, onnotice: () => undefined });
    connections.set(node, sql);
  }
  return sql;
}

let nodes: Promise<string[]> | null = null;

async function copyTemplate(coordinator: string): Promise<string> {
  nodes ??= nodesOf(coordinator);
  const name = `test_${randomBytes(8).toString('hex')}`;
  const all = await nodes;
  await Promise.all(
    all.map((node) => connectionTo(node).unsafe(`create database ${name} template ${TEMPLATE} strategy file_copy`)),
  );
  return name;
}

/** Retries, because another node may connect in between. */
async function dropOn(node: string, name: string): Promise<void> {
  for (;;) {
    try {
      await connectionTo(node).unsafe(`drop database if exists ${name} with (force)`);
      return;
    } catch (error) {
      if (!(error instanceof postgres.PostgresError) || error.code !== IN_USE) throw error;
    }
  }
}

async function dropEverywhere(name: string): Promise<void> {
  for (const node of (await nodes) ?? []) await dropOn(node, name);
}

/** Copy made during the previous test. */
let next: Promise<string> | null = null;
/** Dropped during the next test, because Citus takes seconds to release a database. */
let dropping: Promise<void> = Promise.resolve();

/** Copies the template on every node. */
export async function createCitusDatabase(coordinator: string): Promise<{ url: string; drop(): Promise<void> }> {
  const copying = next ?? copyTemplate(coordinator);
  next = copying.then(() => copyTemplate(coordinator));
  next.catch(() => undefined); // reported to the test that needs it
  const name = await copying;
  return {
    url: withDatabase(coordinator, name),
    async drop() {
      await dropping;
      dropping = dropEverywhere(name);
      dropping.catch(() => undefined); // reported to the next test that drops a database
    },
  };
}
