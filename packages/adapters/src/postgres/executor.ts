import postgres, { type Sql } from 'postgres';
import { type Compiled, createCompiler } from '../sql/compile.ts';
import type { CriteriaDialect } from '../sql/criteria/dialect.ts';
import type { SqlExecutor } from '../sql/executor.ts';
import type { StatementWatch } from '../sql/slow-statements.ts';
import { type Clients, createClient, createClients, inTransaction, type Send } from './clients.ts';
import { createPostgresCriteria } from './criteria.ts';
import { isForeignKeyViolation, isGivenUp, isUniqueViolation, translate } from './errors.ts';
import { createGate, type Gate } from './gate.ts';
import { createSearches, type Searches } from './searches.ts';
import { TYPES } from './types.ts';

const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_S = 5;

export interface Pool {
  /** Taken by those whom the gate has let through. */
  readonly clients: Clients;
  readonly gate: Gate;
  readonly criteria: CriteriaDialect;
  readonly searches: Searches;
  readonly watch: StatementWatch;
}

export function openPool({
  url,
  connections,
  maxWaiting,
  watch,
}: {
  url: string;
  connections: number;
  maxWaiting: number;
  watch: StatementWatch;
}): Pool {
  const open = (onclose: () => void) =>
    postgres(url, {
      max: 1,
      onclose,
      connect_timeout: CONNECT_TIMEOUT_S,
      idle_timeout: 0,
      max_lifetime: null,
      fetch_types: false,
      types: TYPES,
      connection: {
        application_name: 'baobab',
        statement_timeout: STATEMENT_TIMEOUT_MS,
        // Every statement is written for one plan: planning it anew each time costs more than a short list itself.
        ...({ plan_cache_mode: 'force_generic_plan', jit: 'off' } as object),
      },
      onnotice: () => undefined,
    });
  return {
    clients: createClients(() => createClient(open)),
    gate: createGate({ slots: connections, maxWaiting }),
    criteria: createPostgresCriteria(),
    searches: createSearches(),
    watch,
  };
}

const PREPARED = { prepare: true, simple: false } as const;
const UNNAMED = { prepare: false, simple: false } as const;

/** What the server gives up for the sake of another transaction is tried so often: of a deadlock one goes on. */
const ATTEMPTS = 4;

/** Does `work` again from the start when the server gave it up. */
export async function insisting<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !isGivenUp(error)) throw error;
    }
  }
}

/** Errors of the driver become ours here, whether a statement or a commit failed. */
export async function translating<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translate(error);
  }
}

const compile = createCompiler('dollar');

type Options = typeof PREPARED | typeof UNNAMED;
type Rows = Awaited<ReturnType<Sql['unsafe']>>;
type Params = Parameters<SqlExecutor['read']>[1];

/** What all executors of a pool have in common. */
type Shared = Pick<Pool, 'criteria' | 'searches' | 'watch'>;

/** What statements go out on: a client of the pool each, or that of a transaction. */
interface Way<C extends { readonly sql: { readonly unsafe: Send } }> {
  take(): C;
  give(client: C, error: unknown): void;
}

/** Runs statements, past `gate` if there is one; `atomic` decides what several of them run in. */
function createExecutor<C extends { readonly sql: { readonly unsafe: Send } }>(
  way: Way<C>,
  gate: Gate | null,
  { criteria, searches, watch }: Shared,
  atomic: SqlExecutor['atomic'],
): SqlExecutor {
  // One function for the whole way: on the hot path each further promise counts.
  async function send({ text, bind }: Compiled, params: Params, options: Options, attempt = 1): Promise<Rows> {
    const turn = gate === null ? null : gate.take();
    if (turn !== null) await turn;
    const begun = performance.now();
    let client: C | null = null;
    let failure: unknown = null;
    try {
      client = way.take();
      return await client.sql.unsafe(text, bind(params), options);
    } catch (error) {
      failure = error;
      // Inside of a transaction all of it has been undone.
      if (gate === null || attempt === ATTEMPTS || !isGivenUp(error)) throw translate(error);
    } finally {
      if (client !== null) way.give(client, failure);
      gate?.leave();
      watch(text, performance.now() - begun);
    }
    return send({ text, bind }, params, options, attempt + 1);
  }
  const query = (sql: string, params: Params) => send(compile(sql), params, PREPARED);
  const search = (sql: string, params: Params) =>
    send(searches.compile(sql), params, searches.isWorthKeeping(sql) ? PREPARED : UNNAMED);
  const rows = query as unknown as <Row>(sql: string, params: Params) => Promise<Row[]>;
  async function one<Row>(sql: string, params: Params): Promise<Row | null> {
    const [row] = await rows<Row>(sql, params);
    return row ?? null;
  }
  return {
    read: rows,
    readOne: one,
    search: search as unknown as typeof rows,
    write: rows,
    change: async (sql, params) => (await query(sql, params)).count,
    atomic,
    isLocal: false,
    version: () => null,
    criteria,
    takesTurns: false,
    isForeignKeyViolation,
    isUniqueViolation,
  };
}

/** The statements of one transaction. */
export function transactionExecutor(unsafe: Send, shared: Shared): SqlExecutor {
  const client = { sql: { unsafe } };
  const way = { take: () => client, give: () => undefined };
  const executor: SqlExecutor = createExecutor(way, null, shared, (work) => work(executor));
  return executor;
}

/** Runs `work` in a transaction once it is its turn, from the start when the server gave it up. */
export function transact<T>({ gate, clients }: Pool, work: (send: Send) => Promise<T>): Promise<T> {
  async function once(): Promise<T> {
    const client = clients.take();
    let failure: unknown = null;
    try {
      return await inTransaction(client, work);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      clients.give(client, failure);
    }
  }
  return gate.enter(() => insisting(() => translating(once())));
}

/** Statements outside of any transaction, each on a connection of the pool. */
export function poolExecutor(pool: Pool): SqlExecutor {
  return createExecutor(pool.clients, pool.gate, pool, (work) =>
    transact(pool, (send) => work(transactionExecutor(send, pool))),
  );
}
