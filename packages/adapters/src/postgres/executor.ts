import { AppError } from '@baobab/core';
import { type Compiled, createCompiler } from '../sql/compile.ts';
import type { SqlExecutor } from '../sql/executor.ts';
import { type Answer, inTransaction, type Send } from './clients.ts';
import {
  ATTEMPTS,
  insisting,
  isForeignKeyViolation,
  isGivenUp,
  isTimedOut,
  isUniqueViolation,
  translate,
  translating,
} from './errors.ts';
import type { Gate } from './gate.ts';
import { createPipelines } from './pipelines.ts';
import { type Pool, PREPARED, UNNAMED } from './pool.ts';

const compile = createCompiler('dollar');

const first = <Row>({ rows: [row] }: Answer): Row | null => (row as Row | undefined) ?? null;
const counted = (answer: Answer): number => first<{ n: number }>(answer)?.n ?? 0;

type Options = typeof PREPARED | typeof UNNAMED;
type Params = Parameters<SqlExecutor['read']>[1];

/** What all executors of a pool have in common. */
type Shared = Pick<Pool, 'criteria' | 'searches' | 'searchGate' | 'watch'>;

/** What statements go out on: a client of the pool each, or that of a transaction. */
interface Way<C extends { readonly send: Send }> {
  take(): C;
  give(client: C, error: unknown): void;
}

/** Runs statements, past `gate` if there is one; `atomic` decides what several of them run in. */
function createExecutor<C extends { readonly send: Send }>(
  way: Way<C>,
  gate: Gate | null,
  { criteria, searches, searchGate, watch }: Shared,
  atomic: SqlExecutor['atomic'],
): SqlExecutor {
  // One function for the whole way: on the hot path each further promise counts.
  async function send({ text, bind }: Compiled, params: Params, options: Options, attempt = 1): Promise<Answer> {
    const place = gate === null ? null : gate.take();
    if (place !== null) await place.turn;
    const begun = performance.now();
    let client: C | null = null;
    let failure: unknown = null;
    try {
      client = way.take();
      return await client.send(text, bind(params), options);
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
  async function search<Row>(sql: string, params: Params): Promise<Row[]> {
    const options = searches.isWorthKeeping(sql) ? PREPARED : UNNAMED;
    const work = () => send(searches.compile(sql), params, options);
    try {
      // Inside of a transaction a connection is there.
      return (await (gate === null ? work() : searchGate.enter(work))).rows as Row[];
    } catch (error) {
      throw isTimedOut(error) ? new AppError('search.too_long', { cause: error }) : error;
    }
  }
  const rows = async <Row>(sql: string, params: Params) => (await query(sql, params)).rows as Row[];
  return {
    read: rows,
    readOne: async (sql, params) => first(await query(sql, params)),
    count: async (sql, params) => counted(await query(sql, params)),
    search,
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
export function transactionExecutor(send: Send, shared: Shared): SqlExecutor {
  const client = { send };
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

/** Statements outside of any transaction, each on a connection of the pool but for those that take next to no time. */
export function poolExecutor(pool: Pool): SqlExecutor {
  const pipelined = createPipelines(pool);
  const executor = createExecutor(pool.clients, pool.gate, pool, (work) =>
    transact(pool, (send) => work(transactionExecutor(send, pool))),
  );
  return { ...executor, readOne: async (sql, params) => first(await pipelined(compile(sql), params)) };
}
