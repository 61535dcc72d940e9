import type { SqlExecutor } from '../../sql/executor.ts';
import { DISTRIBUTED_TABLES, REFERENCE_TABLES } from './layout.ts';

/** The advisory lock of the transaction whose turn it is; an arbitrary number that nobody else uses. */
const LOCK = 7_226_915;
const TAKE = `select pg_advisory_xact_lock(${LOCK}) as taken`;

/** Transactions lock a name or a pair of users before they write to users or follows. */
const CLAIMS = ['name_claims', 'pair_claims'];

const names = (tables: readonly string[]) => `(?:${tables.join('|')})\\b`;
const WRITES = new RegExp(`^(?:insert into|update|delete from) ${names([...REFERENCE_TABLES, ...CLAIMS])}`);
/** What is inserted from a locked row goes to a table of the coordinator, and locks nothing on other nodes. */
const LOCKS_ROWS = /^select\s(?:.|\n)*\sfor (?:no key update|update|key share|share)\b/;
const READS_COPIED = new RegExp(`\\b(?:from|join) ${names(REFERENCE_TABLES)}`);
const OF_DISTRIBUTED = new RegExp(`\\b${names(DISTRIBUTED_TABLES)}`);

const texts = new Map<string, boolean>();

/** Whether a statement changes rows that are on every node, locks them, or comes before one that does. */
function needsTurn(sql: string): boolean {
  let known = texts.get(sql);
  if (known === undefined) {
    known = WRITES.test(sql) || (LOCKS_ROWS.test(sql) && READS_COPIED.test(sql) && !OF_DISTRIBUTED.test(sql));
    texts.set(sql, known);
  }
  return known;
}

/**
 * Makes the attempts of one transaction take turns with others that write to tables on every node: Citus locks such a
 * table and those that it refers to, in a stronger mode for some statements than for others, so that two transactions
 * that write to several of them would wait for each other.
 *
 * @returns what is called with the executor of each attempt
 */
export function createTurns(): (transaction: SqlExecutor) => SqlExecutor {
  let wasNeeded = false;
  return (inner) => {
    // A repeated transaction may have locked something else before its turn; now the turn comes first.
    const isAgain = wasNeeded;
    let turn: Promise<unknown> | null = null;
    function take(): Promise<unknown> {
      wasNeeded = true;
      turn ??= inner.read(TAKE, []);
      return turn;
    }
    const inTurn = <T>(sql: string, run: () => Promise<T>): Promise<T> =>
      isAgain || needsTurn(sql) ? take().then(run) : run();
    const executor: SqlExecutor = {
      ...inner,
      read: (sql, params) => inTurn(sql, () => inner.read(sql, params)),
      readOne: (sql, params) => inTurn(sql, () => inner.readOne(sql, params)),
      count: (sql, params) => inTurn(sql, () => inner.count(sql, params)),
      write: (sql, params) => inTurn(sql, () => inner.write(sql, params)),
      change: (sql, params) => inTurn(sql, () => inner.change(sql, params)),
      atomic: (work) => work(executor),
      snapshot: (work) => work(executor),
    };
    return executor;
  };
}

/** Statements outside a transaction take turns too: each that needs one gets a transaction. */
export function takingTurns(inner: SqlExecutor): SqlExecutor {
  function atomic<T>(work: (transaction: SqlExecutor) => Promise<T>): Promise<T> {
    const begin = createTurns();
    return inner.atomic((transaction) => work(begin(transaction)));
  }
  return {
    ...inner,
    write: (sql, params) =>
      needsTurn(sql) ? atomic((transaction) => transaction.write(sql, params)) : inner.write(sql, params),
    change: (sql, params) =>
      needsTurn(sql) ? atomic((transaction) => transaction.change(sql, params)) : inner.change(sql, params),
    atomic,
  };
}
