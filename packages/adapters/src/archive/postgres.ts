import { AppError, type Archive, type ArchiveRow, type Logger } from '@baobab/core';
import { NO_PARENTS } from '../postgres/citus/collections.ts';
import { isDistributed } from '../postgres/citus/detect.ts';
import { NOT_IN_SPREAD } from '../postgres/citus/layout.ts';
import { NO_SEARCH } from '../postgres/citus/searches.ts';
import { createClient } from '../postgres/clients.ts';
import { createPostgresCriteria } from '../postgres/criteria.ts';
import { endsConnection, isLockTimeout, translating } from '../postgres/errors.ts';
import { MEMBER_LOCKS } from '../postgres/members.ts';
import { createPatientClient } from '../postgres/patient-client.ts';
import { POSTGRES_MIGRATIONS } from '../postgres/schema.ts';
import { createServers, type UrlVariable } from '../postgres/servers.ts';
import { REMOVED } from '../sql/indexes/search-indexes.ts';
import { createCompiler } from '../sql/statements/statement.ts';
import {
  type ArchiveConnection,
  createSource,
  createTarget,
  createWriteWatch,
  emptinessOn,
  requireCurrent,
  statusOn,
} from './sql.ts';

/** Maximum time for running statements to finish when the connection closes, in seconds. */
const CLOSE_S = 5;

/** With documents distributed by Citus: one connection to each node, so that each node has one snapshot. */
const ONE_CONNECTION = [
  "set citus.multi_shard_modify_mode to 'sequential'",
  'set citus.max_adaptive_executor_pool_size to 1',
];
/** Locks documents and the tables that they reference, so that they stay unchanged until all nodes have a snapshot. */
const STOP_WRITERS = `set lock_timeout = '30s'; begin;
  lock table users, collections, roles, documents, document_grants in share mode`;
/** Reads from every node, which starts its snapshot. */
const ON_EVERY_NODE = 'select 1 as one from documents limit 1';

const LISTENING_SERVERS = `select 1 as one from pg_locks
  where locktype = 'advisory' and classid = ${MEMBER_LOCKS} and objsubid = 2 and granted
    and database = (select oid from pg_database where datname = current_database()) limit 1`;

const HAS_SPREAD = `select 1 as one from pg_constraint
  where conrelid = 'documents'::regclass and conname = '${NOT_IN_SPREAD}'`;
const FORGET_SPREAD = [
  "set local lock_timeout = '30s'",
  `alter table documents drop constraint ${NOT_IN_SPREAD}`,
  'set local lock_timeout to default',
];

/** Place of a database. */
interface Place {
  readonly url: string;
  /** Variable that names the URL, for messages; `DATABASE_URL` by default. */
  readonly variable?: UrlVariable;
}

interface PostgresConnection extends ArchiveConnection {
  /** Returns true if documents are distributed, and then prepares the connection for that. */
  distributed(): Promise<boolean>;
}

const inUse = (what: 'reading' | 'writing', cause: unknown) =>
  new AppError('storage.unavailable', {
    detail: `others were ${what} documents for longer than 30 seconds; try again`,
    cause,
  });

/** Runs `work` while writes of documents are blocked. */
async function whileStill({ url, variable }: Place, work: () => Promise<void>): Promise<void> {
  const client = createPatientClient(createServers(url, true, variable), 'baobab-archive');
  try {
    await translating(client.send(STOP_WRITERS));
    await work();
  } catch (error) {
    throw isLockTimeout(error) ? inUse('writing', error) : error;
  } finally {
    await client.end(1); // releases the locks
  }
}

/**
 * Drops the mark of a collection as not spread: the archive may contain spread collections.
 *
 * @throws `storage.unavailable` if other transactions read documents for longer than the lock timeout
 */
async function forgetSpread({ all, run }: PostgresConnection): Promise<void> {
  if ((await all(HAS_SPREAD)).length === 0) return;
  try {
    for (const statement of FORGET_SPREAD) await run(statement);
  } catch (error) {
    throw isLockTimeout(error) ? inUse('reading', error) : error;
  }
}

/**
 * A single connection that never reconnects. After a reconnect, statements would run outside the transaction, read
 * another snapshot or write only part of the data.
 */
function connect({ url, variable }: Place): PostgresConnection {
  const servers = createServers(url, true, variable);
  const client = createClient((options) => servers.connect({ ...options, name: 'baobab-archive' }));
  let isBroken = false;
  const isGone = () => isBroken;
  const compile = createCompiler();
  const columns = new Map<string, readonly string[]>();

  async function all<Row>(text: string, params: readonly (string | number | null)[] = []): Promise<Row[]> {
    if (isGone()) throw new AppError('storage.unavailable', { detail: 'the connection was lost' });
    const compiled = compile(text);
    try {
      const { rows } = await translating(client.send(compiled.text, compiled.bind(params), { prepare: true }));
      return rows as Row[];
    } catch (error) {
      isBroken ||= endsConnection(error);
      throw error;
    }
  }

  const run = async (text: string, params: readonly (string | number | null)[] = []) => {
    await all(text, params);
  };

  async function atomic<T>(work: () => Promise<T>): Promise<T> {
    // With one connection, all statements in between belong to the transaction.
    await run('begin');
    try {
      const result = await work();
      await run('commit');
      return result;
    } catch (error) {
      if (!isGone()) await run('rollback').catch(() => undefined);
      throw error;
    }
  }

  return {
    migrations: POSTGRES_MIGRATIONS,
    criteria: createPostgresCriteria(),
    all,
    run,
    async distributed() {
      const isCitus = await translating(isDistributed(client.send));
      if (isCitus) for (const setting of ONE_CONNECTION) await run(setting);
      return isCitus;
    },
    async estimate({ name }) {
      // An exact count would read the whole table.
      const [row] = await all<{ n: number }>(
        'select reltuples::bigint as n from pg_class where oid = ?1::text::regclass',
        [name],
      );
      return Math.max(0, row?.n ?? 0);
    },
    async columns(table) {
      let known = columns.get(table);
      if (known === undefined) {
        // Unlike `information_schema`, also for a user without rights, who would otherwise find an empty database.
        const rows = await all<{ name: string }>(
          `select attname as name from pg_attribute
          where attrelid = to_regclass(current_schema() || '.' || ?1) and attnum > 0 and not attisdropped
          order by attnum`,
          [table],
        );
        known = rows.map(({ name }) => name);
        columns.set(table, known);
      }
      return known;
    },
    async insert({ name }, names, rows: readonly ArchiveRow[]) {
      const list = names.join(', ');
      const text = `insert into ${name} (${list}) select ${list} from json_populate_recordset(null::${name}, ?1::text::json)`;
      await run(text, [JSON.stringify(rows)]);
    },
    atomic,
    filling: atomic,
    close: () => client.end(CLOSE_S),
  };
}

/** @throws `rule.unsupported`, `search.unsupported` for rows that a distributed database cannot apply */
const onlySupported =
  (insert: ArchiveConnection['insert']): ArchiveConnection['insert'] =>
  async (kind, columns, rows) => {
    if (kind.name === 'collection_rules' && rows.some(({ parent }) => parent !== null)) {
      throw new AppError('rule.unsupported', { detail: NO_PARENTS });
    }
    if (kind.name === 'search_indexes' && rows.some(({ state }) => state !== REMOVED)) {
      throw new AppError('search.unsupported', { detail: NO_SEARCH });
    }
    await insert(kind, columns, rows);
  };

/** Archive of a Postgres database, which may be in use. */
export function createPostgresArchive({ logger, ...place }: Place & { readonly logger: Logger }): Archive {
  async function source() {
    const connection = connect(place);
    const begin = async () => {
      await connection.run('begin isolation level repeatable read read only');
      await requireCurrent(connection); // the first read starts the snapshot
    };
    try {
      if (!(await connection.distributed())) await begin();
      else {
        await whileStill(place, async () => {
          await begin();
          await connection.run(ON_EVERY_NODE);
        });
      }
    } catch (error) {
      await connection.close();
      throw error;
    }
    return createSource(connection);
  }

  async function migrate(): Promise<void> {
    const { createPostgresStorage } = await import('../postgres/index.ts'); // loaded for migrations only
    const storage = createPostgresStorage({ ...place, logger, connections: 1 });
    await storage.migrate({ evenUnfinished: true }).finally(() => storage.close());
  }

  return {
    status: () => statusOn(connect(place)),
    migrate,
    isEmpty: () => emptinessOn(connect(place)),
    async isInUse() {
      const connection = connect(place);
      try {
        return (await connection.all(LISTENING_SERVERS)).length > 0;
      } finally {
        await connection.close();
      }
    },
    source,
    // Every writing transaction increments the transaction id.
    watchWrites: async () =>
      createWriteWatch(connect(place), 'select txid_snapshot_xmax(txid_current_snapshot())::text as n'),
    async target() {
      await migrate();
      const connection = connect(place);
      if (!(await connection.distributed())) return createTarget(connection, source);
      const restricted = { ...connection, insert: onlySupported(connection.insert) };
      return createTarget(restricted, source, { keepsSlices: true, clearing: () => forgetSpread(connection) });
    },
  };
}
