import { isAppError } from '@baobab/core';
import { aroundEach, type SqlExecutor } from '../../sql/statements/executor.ts';
import type { Sql } from '../../sql/statements/statement.ts';
import { createGate } from '../gate.ts';

/** Key of the advisory lock for the current turn: an arbitrary number not used elsewhere. */
const LOCK = 7_226_915;
const TAKE = `select pg_advisory_xact_lock(${LOCK}) as taken`;

/** Returns true if a statement changes or locks rows of reference tables, or precedes one that does. */
const needsTurn = (sql: Sql): boolean => typeof sql === 'object' && sql.takesTurn === true;

/** Maximum number of transactions of this process that run or wait in the database: the current turn and the next. */
const AT_ONCE = 2;

/** Thrown in a transaction that would have to wait for its turn while holding a connection. */
class MustWait extends Error {}
const mustWait = (error: unknown) =>
  error instanceof MustWait || (isAppError(error) && error.cause instanceof MustWait);

/** Wraps the executor of each attempt of a transaction. */
export type Placing = (transaction: SqlExecutor) => SqlExecutor;

/**
 * Serializes transactions that write to reference tables. Citus locks such a table and those that it references, with
 * modes that depend on the statement, so transactions that write to several could deadlock. Only a few transactions
 * of each process wait in the database. The others wait here, without a connection.
 */
export interface Turns {
  /**
   * Runs a transaction, which waits for its turn if it needs one.
   *
   * @param transact called again if the transaction has to wait for its turn
   * @param isNeeded true if the transaction is known to need a turn
   * @throws `storage.unavailable` if too many wait, or the turn does not come in time
   */
  run<T>(transact: (placed: Placing) => Promise<T>, isNeeded?: boolean): Promise<T>;
}

/** @param enter called when the transaction needs its turn */
function placing(enter: () => void, isFirst: boolean): Placing {
  let wasNeeded = isFirst;
  return (inner) => {
    // Before its turn, the first attempt may have locked other rows. A repeated attempt starts with the turn.
    const isAgain = wasNeeded;
    let turn: Promise<unknown> | null = null;
    async function begin(): Promise<unknown> {
      enter();
      wasNeeded = true;
      return inner.read(TAKE, []);
    }
    function take(): Promise<unknown> {
      turn ??= begin();
      return turn;
    }
    async function inTurn<T>(sql: Sql, run: () => Promise<T>): Promise<T> {
      if (isAgain || needsTurn(sql)) await take();
      return run();
    }
    const executor: SqlExecutor = {
      ...inner,
      ...aroundEach(inner, (run, sql) => inTurn(sql, run)),
      atomic: (work) => work(executor),
      snapshot: (work) => work(executor),
    };
    return executor;
  };
}

export function createTurns(limits: { readonly maxWaiting: number; readonly timeout: number }): Turns {
  const gate = createGate({ ...limits, slots: AT_ONCE });

  async function runAtOnce<T>(transact: (placed: Placing) => Promise<T>): Promise<T> {
    let hasPlace = false;
    function enter(): void {
      if (hasPlace) return;
      if (gate.running >= AT_ONCE) throw new MustWait('others wait for their turn');
      gate.take();
      hasPlace = true;
    }
    try {
      return await transact(placing(enter, false));
    } finally {
      if (hasPlace) gate.leave();
    }
  }

  return {
    async run(transact, isNeeded = false) {
      if (!isNeeded) {
        try {
          return await runAtOnce(transact);
        } catch (error) {
          if (!mustWait(error)) throw error;
        }
      }
      return gate.enter(() => transact(placing(() => undefined, true)));
    },
  };
}

/** Wraps an executor so that statements outside transactions use turns too. Each that needs one gets a transaction. */
export function takingTurns(inner: SqlExecutor, turns: Turns): SqlExecutor {
  const atomic = <T>(work: (transaction: SqlExecutor) => Promise<T>, isNeeded = false): Promise<T> =>
    turns.run((placed) => inner.atomic((transaction) => work(placed(transaction))), isNeeded);
  return {
    ...inner,
    write: (sql, params) =>
      needsTurn(sql) ? atomic((transaction) => transaction.write(sql, params), true) : inner.write(sql, params),
    change: (sql, params) =>
      needsTurn(sql) ? atomic((transaction) => transaction.change(sql, params), true) : inner.change(sql, params),
    atomic: (work) => atomic(work),
  };
}
