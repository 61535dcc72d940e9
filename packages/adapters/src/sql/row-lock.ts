import type { SqlExecutor } from './executor.ts';

/**
 * Builds a statement that first locks the rows it relies on, on databases with concurrent writers. A row that another
 * transaction is removing then counts as missing. Without the lock, the foreign key check would fail, and with it the
 * whole transaction.
 *
 * @param strength in the syntax of Postgres, after `for`
 */
export function withRowLock<Statement>(strength: string, build: (lock: string) => Statement) {
  const [alone, shared] = [build(''), build(` for ${strength}`)];
  return ({ takesTurns }: Pick<SqlExecutor, 'takesTurns'>): Statement => (takesTurns ? alone : shared);
}
