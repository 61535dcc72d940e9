import { AppError } from '@baobab/core';
import { REMOVED } from '../../sql/indexes/search-indexes.ts';
import { type Client, inTransaction } from '../clients.ts';
import { CHANNEL } from '../listener.ts';
import { createPatientClients } from '../patient-client.ts';
import { acquireSchemaLock } from '../schema-lock.ts';
import type { Send } from '../send.ts';
import { createServers } from '../servers.ts';
import { NO_PARENTS } from './collections.ts';
import { hasCitus, isDistributed, refuseWorker } from './detect.ts';
import { COUNTERS, DISTRIBUTED_TABLES, GRANTS_KEY, PLACED_BY, REFERENCE_TABLES, SEQUENTIAL } from './layout.ts';
import { NO_SEARCH } from './searches.ts';
import { type SpreadCollection, type SpreadOptions, spread, spreadOn } from './spread.ts';

/** A node of the cluster. */
export interface CitusNode {
  readonly host: string;
  readonly port: number;
  readonly isCoordinator: boolean;
  readonly isActive: boolean;
  /** Shards of documents and grants, and their size with indexes, in bytes. */
  readonly shards: number;
  readonly bytes: number;
}

/** Placement of a table. `local` is on the coordinator only. */
export interface CitusTable {
  readonly name: string;
  readonly placement: 'distributed' | 'reference' | 'local';
}

export interface CitusStatus {
  readonly nodes: readonly CitusNode[];
  readonly tables: readonly CitusTable[];
  readonly spread: readonly SpreadCollection[];
  /** Remaining steps of `enable`. Empty if the database is distributed. */
  readonly missing: readonly string[];
  /** Number of shards that a rebalance is moving, or null if none is running. */
  readonly moving: number | null;
}

interface EnableOptions {
  /** Number of shards for documents, and for grants. */
  readonly shards: number;
  /** Called before each step. */
  readonly report: (step: string) => void;
}

/** Distributes a database over the nodes of a Citus cluster. */
export interface CitusCluster {
  /**
   * Executes the missing steps.
   *
   * @throws `storage.unavailable` with a fix, if the cluster is not ready; `rule.unsupported` if rules have parents;
   * `search.unsupported` if collections have search indexes
   */
  enable(options: EnableOptions): Promise<CitusStatus>;
  status(): Promise<CitusStatus>;
  /**
   * Spreads the documents of an empty collection over all nodes.
   *
   * @throws `collection.not_found`; `input.invalid` if the collection cannot be spread; `storage.unavailable` if the
   * database does not support it
   */
  spread(options: SpreadOptions): Promise<SpreadCollection>;
  /** Starts moving shards until all nodes have the same number. Returns false if there is nothing to move. */
  rebalance(): Promise<boolean>;
}

const NODES = `select n.nodename as host, n.nodeport as port, n.groupid = 0 as "isCoordinator",
    n.isactive as "isActive", count(s.shardid) as shards, coalesce(sum(s.shard_size), 0)::bigint as bytes
  from pg_dist_node n left join citus_shards s on s.nodename = n.nodename and s.nodeport = n.nodeport
    and s.citus_table_type = 'distributed'
  where n.noderole = 'primary' group by 1, 2, 3, 4 order by n.groupid = 0 desc, 1, 2`;
const NODES_BEFORE = `select n.nodename as host, n.nodeport as port, n.groupid = 0 as "isCoordinator",
    n.isactive as "isActive", 0 as shards, 0 as bytes
  from pg_dist_node n where n.noderole = 'primary' order by n.groupid = 0 desc, 1, 2`;
const TABLES = `select c.relname as name, case when p.partmethod = 'h' then 'distributed'
    when p.partmethod = 'n' and p.repmodel = 't' then 'reference' else 'local' end as placement
  from pg_class c left join pg_dist_partition p on p.logicalrelid = c.oid
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace order by 2, 1`;
const HAS_KEY = `select 1 as one from pg_constraint
  where conname = '${GRANTS_KEY.name}' and conrelid = 'document_grants'::regclass`;
const HAS_TRIGGERS = `select 1 as one from pg_trigger where not tgisinternal
  and tgname in (${COUNTERS.triggers.map(({ name }) => `'${name}'`).join(', ')})
  and tgrelid in ('collections'::regclass, 'documents'::regclass)`;
const STOP_COUNTING = [
  ...COUNTERS.triggers.map(({ name, table }) => `drop trigger if exists ${name} on ${table}`),
  `truncate ${COUNTERS.tables.join(', ')}`,
];
const WITH_PARENTS = `select c.name from collections c join collection_rules r on r.collection = c.id
  where r.parent is not null order by c.name`;
const WITH_SEARCH = `select c.name from collections c join search_indexes s on s.collection = c.id
  where s.state <> '${REMOVED}' order by c.name`;
const MOVING = `select count(*) as n from get_rebalance_progress() where progress < 2`;
const ORPHANS = `delete from document_grants g where not exists
  (select 1 from documents d where d.collection = g.collection and d.id = g.document)`;
const DROP_KEY = `alter table document_grants drop constraint if exists ${GRANTS_KEY.name}`;
const ADD_KEY = `alter table document_grants add constraint ${GRANTS_KEY.name} ${GRANTS_KEY.definition}`;
/** Programs check the placement of documents again when they receive an unknown topic. */
const TELL = `select pg_notify('${CHANNEL}', 'citus:placement:')`;

function notReady(detail: string): AppError {
  return new AppError('storage.unavailable', { detail });
}

interface Step {
  readonly name: string;
  run(client: Client, options: EnableOptions): Promise<void>;
}

async function all<Row>(send: Send, text: string): Promise<Row[]> {
  return (await send(text)).rows as Row[];
}

const inSteps = (client: Client, statements: readonly string[]) =>
  inTransaction(client, async (send) => {
    await send(SEQUENTIAL);
    for (const statement of statements) await send(statement);
  });

/** Returns the missing steps, in order. Each is one transaction, so an interrupted step leaves nothing behind. */
async function missingSteps(send: Send): Promise<Step[]> {
  const tables = await all<CitusTable>(send, TABLES);
  const placementOf = new Map(tables.map(({ name, placement }) => [name, placement]));
  const steps: Step[] = [];
  // First, because tables with triggers can be neither copied nor distributed.
  if ((await send(HAS_TRIGGERS)).count > 0) {
    steps.push({ name: 'stop counting documents by triggers', run: (client) => inSteps(client, STOP_COUNTING) });
  }
  for (const table of REFERENCE_TABLES.filter((name) => placementOf.get(name) !== 'reference')) {
    steps.push({
      name: `copy ${table} to every node`,
      run: (client) => inSteps(client, [`select create_reference_table('${table}')`]),
    });
  }
  const undistributed = DISTRIBUTED_TABLES.filter((table) => placementOf.get(table) !== 'distributed');
  if (undistributed.length > 0) {
    steps.push({
      name: `distribute ${undistributed.join(' and ')} by ${PLACED_BY}`,
      // The foreign key requires that both tables are distributed.
      run: (client, { shards }) =>
        inSteps(client, [
          DROP_KEY,
          `set local citus.shard_count to ${shards}`,
          ...undistributed.map(
            (table) =>
              `select create_distributed_table('${table}', '${PLACED_BY}'${table === 'documents' ? '' : ", colocate_with => 'documents'"})`,
          ),
          ADD_KEY,
        ]),
    });
  } else if ((await send(HAS_KEY)).count === 0) {
    steps.push({ name: 'restore the foreign key of grants', run: (client) => inSteps(client, [ORPHANS, ADD_KEY]) });
  }
  return steps;
}

async function statusOn({ send }: Client): Promise<CitusStatus> {
  const missing = await missingSteps(send);
  const tables = await all<CitusTable>(send, TABLES);
  const hasShards = tables.some(({ placement }) => placement === 'distributed');
  const nodes = await all<CitusNode>(send, hasShards ? NODES : NODES_BEFORE);
  const [moving] = await all<{ n: number }>(send, MOVING);
  return {
    nodes,
    tables,
    spread: await spreadOn(send),
    missing: missing.map(({ name }) => name),
    moving: moving === undefined || moving.n === 0 ? null : moving.n,
  };
}

async function assertReady({ send }: Client): Promise<void> {
  if (!(await hasCitus(send))) {
    throw notReady(
      'this database has no Citus: run "create extension citus" in it on every node, after installing it there',
    );
  }
  await refuseWorker(send);
  const nodes = await all<CitusNode>(send, NODES_BEFORE);
  if (!nodes.some(({ isCoordinator }) => isCoordinator)) {
    throw notReady(
      `the cluster does not know its coordinator: run "select citus_set_coordinator_host('<host>', <port>)"`,
    );
  }
  if (!nodes.some(({ isCoordinator, isActive }) => isActive && !isCoordinator)) {
    throw notReady(`the cluster has no workers: run "select citus_add_node('<host>', <port>)" for each`);
  }
}

/** Refuses collections with a feature that a distributed database does not have. */
async function refuseUnsupported({ send }: Client): Promise<void> {
  const namesIn = async (text: string) => (await all<{ name: string }>(send, text)).map(({ name }) => `"${name}"`);
  const parents = await namesIn(WITH_PARENTS);
  if (parents.length > 0) {
    throw new AppError('rule.unsupported', {
      detail: `${NO_PARENTS}: remove the parent of ${parents.join(', ')} first`,
    });
  }
  const indexes = await namesIn(WITH_SEARCH);
  if (indexes.length > 0) {
    throw new AppError('search.unsupported', {
      detail: `${NO_SEARCH}: remove the search index of ${indexes.join(', ')} first`,
    });
  }
}

export function createCitusCluster({ url }: { readonly url: string }): CitusCluster {
  const clients = createPatientClients(createServers(url, true), 'baobab citus');
  const using = <T>(work: (client: Client) => Promise<T>) =>
    clients.using(async (client) => {
      await assertReady(client);
      return work(client);
    });

  return {
    enable: (options) =>
      using(async (client) => {
        await acquireSchemaLock(await client.opened);
        await refuseUnsupported(client);
        for (const step of await missingSteps(client.send)) {
          options.report(step.name);
          await step.run(client, options);
        }
        await client.send(TELL);
        return statusOn(client);
      }),
    status: () => using(statusOn),
    spread: (options) =>
      using(async (client) => {
        if (!(await isDistributed(client.send))) {
          throw notReady('documents are not distributed yet: run "baobab citus enable" first');
        }
        await acquireSchemaLock(await client.opened);
        return spread(client, options);
      }),
    rebalance: () =>
      using(async ({ send }) => {
        const [plan] = await all<{ n: number }>(send, 'select count(*) as n from get_rebalance_table_shards_plan()');
        if (plan === undefined || plan.n === 0) return false;
        await send('select citus_rebalance_start()');
        return true;
      }),
  };
}
