import type { CriteriaDialect } from '../sql/criteria/dialect.ts';
import type { StatementWatch } from '../sql/statements/executor.ts';
import { type Clients, createClient, createClients } from './clients.ts';
import { createPostgresCriteria } from './criteria.ts';
import { ATTEMPTS, ATTEMPTS_WHERE_DISTRIBUTED } from './errors.ts';
import { createGate, type Gate } from './gate.ts';
import type { PostgresLimits } from './limits.ts';
import { type OneConnection, UNCHECKED } from './one-connection.ts';
import { createSearches, type Searches } from './searches.ts';
import type { Servers } from './servers.ts';

/** Every statement is written for one plan. Planning each execution costs more than a short list. */
const ONE_PLAN = { plan_cache_mode: 'force_generic_plan', jit: 'off' };
/**
 * Citus chooses the shard by values. Changes of several shards are sequential on each node, since only then may the
 * same transaction change reference tables. Workers never write, so reference tables are locked here only, not on the
 * first worker too.
 */
const ONE_SHARD = {
  jit: 'off',
  'citus.multi_shard_modify_mode': 'sequential',
  'citus.allow_modifications_from_workers_to_replicated_tables': 'off',
};
/** Connections that searches leave free for all other statements. */
const KEPT_FROM_SEARCHES = 2;
/** Connections that work which may wait leaves free for reads. */
const KEPT_FOR_READS = 1;

export interface Pool {
  /** Taken by callers that passed the gate. */
  readonly clients: Clients;
  readonly gate: Gate;
  /**
   * In front of `gate`, for work that may wait in the database: writes and transactions for locks of others, and
   * searches. It leaves a connection for reads, so that many writers of one row do not stop them.
   */
  readonly waitingGate: Gate;
  /** In front of `waitingGate`, for statements with criteria, so that they leave connections free for all others. */
  readonly searchGate: Gate;
  readonly oneConnection: OneConnection;
  readonly criteria: CriteriaDialect;
  readonly searches: Searches;
  readonly watch: StatementWatch;
  /** See `PoolOptions.hasNoSession`. */
  readonly hasNoSession: boolean;
  /** Returns the maximum number of attempts for work that the server rolls back in favor of another transaction. */
  attempts(): number;
}

export interface PoolOptions {
  readonly servers: Servers;
  readonly connections: number;
  readonly maxWaiting: number;
  readonly limits: PostgresLimits;
  readonly watch: StatementWatch;
  /** By default, nothing is detected. */
  readonly oneConnection?: OneConnection;
  /**
   * True if each transaction may use another server connection, as with a pooler in transaction mode. No parameters
   * are set, no statements prepared, and none sent before the previous one is answered: the driver sends a statement
   * that is not prepared in two steps, and PgBouncer loses the answer to the first if another statement ends meanwhile.
   */
  readonly hasNoSession?: boolean;
  /** Returns true if Citus distributes the documents. Called for each connection. */
  readonly isDistributed?: () => boolean;
  /** See `Pool.attempts`. By default, suitable for the database. */
  readonly attempts?: number;
  /** Called with the error that ends a use of a connection. */
  readonly failed?: (error: unknown) => void;
  /** Called when all connections are replaced because their server no longer accepts writes. */
  readonly outdated?: () => void;
}

export function openPool({
  servers,
  connections,
  maxWaiting,
  limits,
  watch,
  oneConnection = UNCHECKED,
  hasNoSession = false,
  isDistributed = () => false,
  attempts,
  failed = () => undefined,
  outdated,
}: PoolOptions): Pool {
  const settings = () => ({ statement_timeout: limits.statement, ...(isDistributed() ? ONE_SHARD : ONE_PLAN) });
  const open = () =>
    createClient((options) =>
      servers.connect({
        ...options,
        name: 'baobab',
        prepare: !hasNoSession,
        settings: hasNoSession ? null : settings(),
      }),
    );
  const clients = createClients(open, limits.silence, outdated);
  const gateLeaving = (kept: number) =>
    createGate({
      slots: Math.max(1, connections - kept),
      maxWaiting,
      timeout: limits.waiting,
      assertMayTake: oneConnection.assertNone,
    });
  return {
    clients: {
      ...clients,
      give(client, error) {
        if (error !== null) failed(error);
        clients.give(client, error);
      },
    },
    gate: gateLeaving(0),
    waitingGate: gateLeaving(KEPT_FOR_READS),
    searchGate: gateLeaving(KEPT_FROM_SEARCHES),
    oneConnection,
    criteria: createPostgresCriteria(),
    searches: createSearches(),
    watch,
    hasNoSession,
    attempts: () => attempts ?? (isDistributed() ? ATTEMPTS_WHERE_DISTRIBUTED : ATTEMPTS),
  };
}

export const PREPARED = { prepare: true, simple: false } as const;
export const UNNAMED = { prepare: false, simple: false } as const;
