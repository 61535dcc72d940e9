import { AppError } from '@baobab/core';
import type { ReadBound, SqlExecutor, SqlValue } from './executor.ts';

/**
 * Enforces the port's rule on every database: after a failed statement, a transaction runs no further statements and
 * does not commit, even if the error was swallowed.
 */
export function createTransactionGuard(inner: SqlExecutor) {
  let failure: { readonly error: unknown } | null = null;

  /** Stores the first failure. */
  function harm(error: unknown): never {
    failure ??= { error };
    throw error;
  }

  function assertUnharmed(): void {
    if (failure === null) return;
    throw new AppError('storage.unavailable', {
      detail: 'an earlier statement of the transaction failed',
      cause: failure.error,
    });
  }

  const executor: SqlExecutor = {
    async read<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound) {
      assertUnharmed();
      return inner.read<Row>(sql, params, bound).catch(harm);
    },
    async readOne<Row>(sql: string, params: readonly SqlValue[]) {
      assertUnharmed();
      return inner.readOne<Row>(sql, params).catch(harm);
    },
    async count(sql, params) {
      assertUnharmed();
      return inner.count(sql, params).catch(harm);
    },
    async search<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound) {
      assertUnharmed();
      return inner.search<Row>(sql, params, bound).catch(harm);
    },
    async write<Row>(sql: string, params: readonly SqlValue[]) {
      assertUnharmed();
      return inner.write<Row>(sql, params).catch(harm);
    },
    async change(sql, params) {
      assertUnharmed();
      return inner.change(sql, params).catch(harm);
    },
    atomic: (work) => work(executor),
    snapshot: (work) => work(executor),
    isLocal: inner.isLocal,
    version: inner.version,
    criteria: inner.criteria,
    vacuum: inner.vacuum,
    takesTurns: inner.takesTurns,
    isForeignKeyViolation: inner.isForeignKeyViolation,
    isUniqueViolation: inner.isUniqueViolation,
  };

  return {
    executor,
    /** Call before the transaction commits. @throws `storage.unavailable` if a statement failed */
    assertUnharmed,
  };
}
