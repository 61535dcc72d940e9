import { AppError } from '@baobab/core';
import type { SqlExecutor } from '../sql/statements/executor.ts';
import { type Compiled, createCompiler, type Sql, textOf } from '../sql/statements/statement.ts';
import { BEGIN_SNAPSHOT, type BeginText, type Client, inTransaction } from './clients.ts';
import {
  createGivenUp,
  isDuplicateDocument,
  isForeignKeyViolation,
  isGivenUp,
  isTimedOut,
  isUniqueViolation,
  translate,
  translating,
  withRetry,
} from './errors.ts';
import type { Gate } from './gate.ts';
import { createPipelines } from './pipelines.ts';
import { type Pool, PREPARED, UNNAMED } from './pool.ts';
import type { Answer, Send } from './send.ts';

const compile = createCompiler();

const first = <Row>({ rows: [row] }: Answer): Row | null => (row as Row | undefined) ?? null;

type Options = typeof PREPARED | typeof UNNAMED;
type Params = Parameters<SqlExecutor['read']>[1];
type Statement = Pick<Compiled, 'text' | 'bind'>;

/** State shared by all executors of a pool. */
type Shared = Pick<Pool, 'criteria' | 'searches' | 'searchGate' | 'waitingGate' | 'watch' | 'attempts'>;

/** Source of clients for statements: the pool, or always the client of a transaction. */
interface Way<C extends { readonly send: Send }> {
  take(): C;
  give(client: C, error: unknown): void;
}

/** Transactions for several statements, and the handler of additions to the change feed. */
interface Transactions extends Pick<SqlExecutor, 'atomic' | 'snapshot'> {
  /** Called after each statement that adds to the change feed. */
  changed(): void;
}

/**
 * Returns the error of a statement. A transaction that lost a unique value to another one is retried,
 * and then finds the other document before it writes.
 */
function failureOf(error: unknown, isInTransaction: boolean): unknown {
  if (!isInTransaction || !isDuplicateDocument(error)) return translate(error);
  return new AppError('document.duplicate', { cause: createGivenUp('a unique value was taken', error) });
}

/** Runs statements, through `gate` if there is one. */
function createExecutor<C extends { readonly send: Send }>(
  way: Way<C>,
  gate: Gate | null,
  { criteria, searches, searchGate, waitingGate, watch, attempts }: Shared,
  { atomic, snapshot, changed }: Transactions,
): SqlExecutor {
  // A single function, because each additional promise costs time on the hot path.
  async function send({ text, bind }: Statement, params: Params, options: Options, attempt = 1): Promise<Answer> {
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
      // Inside a transaction everything is rolled back, so only the whole transaction can be retried.
      if (gate === null || attempt >= attempts() || !isGivenUp(error)) throw failureOf(error, gate === null);
    } finally {
      if (client !== null) way.give(client, failure);
      gate?.leave();
      watch(text, performance.now() - begun);
    }
    return send({ text, bind }, params, options, attempt + 1);
  }
  const query = (sql: Sql, params: Params) => send(compile(sql), params, PREPARED);
  async function write(sql: Sql, params: Params): Promise<Answer> {
    const work = () => query(sql, params);
    const answer = await (gate === null ? work() : waitingGate.enter(work));
    if (typeof sql === 'object' && sql.addsToFeed === true && answer.count > 0) changed();
    return answer;
  }
  async function search<Row>(sql: Sql, params: Params): Promise<Row[]> {
    const text = textOf(sql);
    const options = searches.isWorthKeeping(text) ? PREPARED : UNNAMED;
    const work = () => send(searches.compile(text), params, options);
    try {
      // A transaction already has its connection.
      return (await (gate === null ? work() : searchGate.enter(() => waitingGate.enter(work)))).rows as Row[];
    } catch (error) {
      throw isTimedOut(error) ? new AppError('search.too_long', { cause: error }) : error;
    }
  }
  const rows = async <Row>(sql: Sql, params: Params) => (await query(sql, params)).rows as Row[];
  return {
    read: rows,
    readOne: async (sql, params) => first(await query(sql, params)),
    search,
    write: async <Row>(sql: Sql, params: Params) => (await write(sql, params)).rows as Row[],
    change: async (sql, params) => (await write(sql, params)).count,
    atomic,
    snapshot,
    isLocal: false,
    joinsDocuments: () => true,
    criteria,
    isForeignKeyViolation,
    isUniqueViolation,
  };
}

/** Runs the statements of one transaction. @param changed called after each that adds to the change feed */
export function transactionExecutor(send: Send, shared: Shared, changed: () => void): SqlExecutor {
  const client = { send };
  const way = { take: () => client, give: () => undefined };
  const within: SqlExecutor['atomic'] = (work) => work(executor);
  const executor: SqlExecutor = createExecutor(way, null, shared, {
    atomic: within,
    snapshot: within,
    changed,
  });
  return executor;
}

/**
 * Runs `work` in a transaction as soon as a connection is free. Retries it from the start if the server rolls it
 * back.
 */
export function transact<T>(pool: Pool, work: (send: Send) => Promise<T>, begin: BeginText = 'begin'): Promise<T> {
  const once = () => withClient(pool, (client) => inTransaction(client, work, begin));
  const { gate, waitingGate, attempts } = pool;
  return waitingGate.enter(() => gate.enter(() => withRetry(() => translating(once()), attempts())));
}

/** Runs `work` outside any transaction as soon as a connection is free. */
export const onConnection = <T>(pool: Pool, work: (send: Send) => Promise<T>): Promise<T> =>
  pool.gate.enter(() => translating(withClient(pool, ({ send }) => work(send))));

async function withClient<T>({ clients, oneConnection }: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = clients.take();
  let failure: unknown = null;
  try {
    return await oneConnection.hold(() => work(client));
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    clients.give(client, failure);
  }
}

const nothing = () => undefined;

/**
 * Runs statements outside any transaction: look-ups by key through pipelines, each of the others on a pooled
 * connection.
 *
 * @param changed called after each commit that adds to the change feed
 */
export function poolExecutor(pool: Pool, changed: () => void): SqlExecutor {
  async function atomic<T>(work: (executor: SqlExecutor) => Promise<T>): Promise<T> {
    let hasChanged = false;
    const note = () => {
      hasChanged = true;
    };
    const result = await transact(pool, (send) => work(transactionExecutor(send, pool, note)));
    if (hasChanged) changed();
    return result;
  }

  const executor = createExecutor(pool.clients, pool.gate, pool, {
    atomic,
    snapshot: (work) => transact(pool, (send) => work(transactionExecutor(send, pool, nothing)), BEGIN_SNAPSHOT),
    changed,
  });
  if (pool.hasNoSession) return executor;
  const pipelined = createPipelines(pool);
  return { ...executor, readOne: async (sql, params) => first(await pipelined(compile(sql), params)) };
}
