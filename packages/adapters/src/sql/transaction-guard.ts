import { AppError } from '@baobab/core';
import type { SqlExecutor } from './executor.ts';

/**
 * Enforces the port's rule on every database: after a failed statement a transaction runs no further statements and
 * does not commit, even if the error was swallowed.
 */
export function createTransactionGuard(inner: SqlExecutor) {
  let failure: { readonly error: unknown } | null = null;

  async function attempt<T>(statement: () => Promise<T>): Promise<T> {
    assertUnharmed();
    try {
      return await statement();
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  }

  function assertUnharmed(): void {
    if (failure === null) return;
    throw new AppError('storage.unavailable', {
      detail: 'an earlier statement of the transaction failed',
      cause: failure.error,
    });
  }

  const executor: SqlExecutor = {
    read: (sql, params, bound) => attempt(() => inner.read(sql, params, bound)),
    readOne: (sql, params) => attempt(() => inner.readOne(sql, params)),
    count: (sql, params) => attempt(() => inner.count(sql, params)),
    search: (sql, params, bound) => attempt(() => inner.search(sql, params, bound)),
    write: (sql, params) => attempt(() => inner.write(sql, params)),
    change: (sql, params) => attempt(() => inner.change(sql, params)),
    atomic: (work) => work(executor),
    isLocal: inner.isLocal,
    version: inner.version,
    criteria: inner.criteria,
    takesTurns: inner.takesTurns,
    isForeignKeyViolation: inner.isForeignKeyViolation,
    isUniqueViolation: inner.isUniqueViolation,
  };

  return {
    executor,
    /** Call with the result of the transaction, before it commits. */
    finish<T>(result: T): T {
      assertUnharmed();
      return result;
    },
  };
}
